"use strict";
const panes = [...document.querySelectorAll(".scroll")];
const lines = [...document.querySelectorAll(".line[data-lines]")];
let driven = null;
let pointed = null;

function other(pane) {
  return panes[1 - panes.indexOf(pane)];
}

function move(pane, top) {
  const target = Math.round(Math.max(0, Math.min(top, pane.scrollHeight - pane.clientHeight)));
  if (Math.abs(pane.scrollTop - target) >= 1) {
    driven = pane;
    pane.scrollTop = target;
  }
}

for (const pane of panes) {
  pane.addEventListener("scroll", () => {
    if (driven === pane) {
      driven = null;
      return;
    }
    const partner = other(pane);
    const room = pane.scrollHeight - pane.clientHeight;
    move(partner, room ? (pane.scrollTop / room) * (partner.scrollHeight - partner.clientHeight) : 0);
  }, { passive: true });
}

function linked(line) {
  const wanted = new Set(line.dataset.lines.split(" "));
  return lines.filter((one) => one.dataset.lines.split(" ").some((number) => wanted.has(number)));
}

function mark(line) {
  const found = new Set(line ? linked(line) : []);
  for (const one of lines) one.classList.toggle("marked", found.has(one));
  return found;
}

function bring(line) {
  const pane = line.closest(".scroll");
  const partner = other(pane);
  const first = [...mark(line)].find((one) => partner.contains(one));
  if (!first) return;
  const top = first.offsetTop - partner.offsetTop;
  const isSeen = top >= partner.scrollTop && top + first.offsetHeight <= partner.scrollTop + partner.clientHeight;
  if (!isSeen) move(partner, top - partner.clientHeight / 3);
}

for (const line of lines) {
  line.addEventListener("pointermove", (event) => {
    const here = `${event.screenX} ${event.screenY}`;
    if (here !== pointed) mark(line); // else the page moved below the pointer
    pointed = here;
  });
  line.addEventListener("focusin", () => bring(line));
  line.addEventListener("click", () => bring(line));
}

const graph = document.querySelector(".graph");
if (graph) graph.scrollLeft = (graph.scrollWidth - graph.clientWidth) / 2;
