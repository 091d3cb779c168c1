"use strict";
const flame = document.querySelector(".flame");
const bars = [...flame.querySelectorAll("button")];
const selected = document.querySelector(".selected");
const start = (bar) => Number(bar.dataset.start);
const share = (bar) => Number(bar.dataset.share);
const level = (bar) => Number(bar.getAttribute("aria-level"));
const parents = new Map();
const path = [];
for (const bar of bars) { // in the order of a walk: each after the one that contains it
  path.length = level(bar) - 1;
  parents.set(bar, path[path.length - 1] || null);
  path.push(bar);
}

function isInside(bar, outer) {
  for (let one = bar; one; one = parents.get(one)) if (one === outer) return true;
  return false;
}

function zoom(target) {
  for (const bar of bars) {
    const isAround = isInside(target, bar);
    bar.hidden = !isAround && !isInside(bar, target);
    const left = isAround ? 0 : (start(bar) - start(target)) / (share(target) || 1);
    bar.style.left = `${100 * left}%`;
    bar.style.width = `${isAround ? 100 : 100 * share(bar) / (share(target) || 1)}%`;
  }
}

function neighbour(bar, key) {
  if (key === "ArrowUp") return parents.get(bar);
  const shown = bars.filter((one) => !one.hidden);
  if (key === "ArrowDown") {
    const inner = shown.filter((one) => parents.get(one) === bar);
    return inner.reduce((best, one) => (best && share(best) >= share(one) ? best : one), null);
  }
  const row = shown.filter((one) => level(one) === level(bar));
  return row[row.indexOf(bar) + (key === "ArrowRight" ? 1 : -1)];
}

for (const bar of bars) {
  const show = () => { selected.textContent = bar.title; };
  bar.addEventListener("pointerenter", show);
  bar.addEventListener("focus", () => {
    for (const one of bars) one.tabIndex = one === bar ? 0 : -1;
    show();
  });
  bar.addEventListener("click", () => zoom(bar));
  bar.addEventListener("keydown", (event) => {
    if (event.key === "Escape") zoom(bars[0]);
    else if (event.key.startsWith("Arrow")) neighbour(bar, event.key)?.focus();
    else return;
    event.preventDefault();
  });
}
