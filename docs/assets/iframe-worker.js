/* A page that was opened from a file may not start a worker. Its script runs in a hidden frame instead,
   so that the search works there. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      frame.srcdoc = "<!doctype html>"
      this.started = new Promise((resolve) => {
        frame.onload = () => {
          const inside = frame.contentWindow
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
          const script = inside.document.createElement("script")
          script.src = new URL(url, document.baseURI)
          script.onload = () => resolve(inside)
          inside.document.body.append(script)
        }
      })
      document.documentElement.append(frame)
    }

    async postMessage(data) {
      const inside = await this.started
      inside.dispatchEvent(new MessageEvent("message", { data }))
    }
  }
}
