// plan.js - the page of `umbel plan --html`: its state, its table, and the plan it recommends.
// The library computed all plans; they are looked up in `data`, ranked, listed, and drawn by
// figures.js.

// ---- looking up
// A kind's plans are stored row by row: a row for each number of keys, an entry in it for each rate
// or size. 0: no plan.
const sizesBefore = data.sizes.map((_, k) =>
  data.sizes.slice(0, k).reduce((sum, row) => sum + row.length, 0)
);
function planAt(kind, table, at, k) {
  return table && table.bits[at]
    ? {
        kind,
        keys: data.keys[k],
        bits: table.bits[at],
        perKey: table.bits[at] / data.keys[k],
        fpr: table.rate[at],
        probes: table.probes[at],
        lines: kind.lines || table.probes[at]
      }
    : null;
}
const planned = (kind, k, r) => planAt(kind, kind.by_rate, k * data.rates.length + r, k);
const fitted = (kind, k, s) => planAt(kind, kind.by_size, sizesBefore[k] + s, k);
// No set has fewer bits per key than log2(1/rate); a map needs its values beside that.
const valueBits = () => (needs().includes("map") ? data.value_bits : 0);
const leastBits = rate => valueBits() - Math.log2(rate);
const leastRate = perKey => Math.min(1, 2 ** (valueBits() - perKey));

// ---- numbers as the tool prints them
const grouped = n => Math.round(n).toLocaleString("en-US");
function count(n) {
  for (const [size, name] of [
    [1e12, " trillion"],
    [1e9, " billion"],
    [1e6, " million"]
  ])
    if (n >= size && +(n / size).toPrecision(4) * size === n)
      return +(n / size).toPrecision(4) + name;
  return grouped(n);
}
function bytes(n) {
  n = Math.ceil(n);
  if (n < 10000) return grouped(n) + (n === 1 ? " byte" : " bytes");
  for (const unit of ["KiB", "MiB", "GiB", "TiB"])
    if ((n /= 1024) < 1000 || unit === "TiB") return n.toFixed(n < 10 ? 2 : 1) + " " + unit;
}
function percent(p) {
  if (p >= 1e-6) return +(100 * p).toPrecision(4) + " %";
  const [digits, power] = p.toExponential(2).split("e");
  return `${+digits} · 10${raised(+power)}`;
}
const oneIn = p => "1 in " + (p > 1e-15 ? grouped(1 / p) : (1 / p).toPrecision(3));

// ---- state, kept in the address so that a plan can be linked
const form = $("options"),
  keys = $("keys"),
  rate = $("rate"),
  memory = $("memory");
const boxes = [...form.querySelectorAll("input[type=checkbox]")];
const pinned = new Set();
let all = false;
const needs = () => boxes.filter(box => box.checked).map(box => box.name);
const bySize = () => form.elements.given.value === "memory";
const fastest = () => form.elements.order.value === "fastest";
const sizes = () => data.sizes[keys.value];
const nearest = (list, x) =>
  list.reduce(
    (best, v, i) => (Math.abs(Math.log(v / x)) < Math.abs(Math.log(list[best] / x)) ? i : best),
    0
  );
// Bytes asked for. They stay the same while keys change, as far as the slider reaches.
let size = 0;
const sizeStop = () => nearest(sizes(), size);
const sizeNow = () => sizes()[sizeStop()];
function restore() {
  const said = new URLSearchParams(location.hash.slice(1) || data.start),
    started = new URLSearchParams(data.start);
  keys.value = nearest(data.keys, +said.get("keys") || +started.get("keys"));
  rate.value = nearest(data.rates, +said.get("rate") || +started.get("rate") || 1 / 256);
  for (const box of boxes) box.checked = said.has(box.name);
  form.elements.given.value = said.has("memory") && !said.has("map") ? "memory" : "rate";
  form.elements.order.value = said.get("order") || "smallest";
  size = +said.get("memory") || sizes()[0];
  pinned.clear();
  for (const name of said.getAll("with")) pinned.add(name);
  all = said.has("all");
}
function remember() {
  const said = new URLSearchParams({ keys: data.keys[keys.value] });
  bySize() ? said.set("memory", size) : said.set("rate", data.rates[rate.value]);
  for (const need of needs()) said.set(need, "");
  if (fastest()) said.set("order", "fastest");
  for (const name of pinned) said.append("with", name);
  if (all) said.set("all", "");
  history.replaceState(null, "", "#" + String(said).replace(/=(?=&|$)/g, ""));
}

// ---- the plan
// Kinds that do all that is needed, best first: in the order of cli/offer.hpp. Sorting is stable.
function offers() {
  const asked = needs(),
    map = asked.includes("map"),
    mayForget = asked.includes("forgets") || asked.includes("ages");
  const place = plan => [
    fastest() ? plan.lines : 0,
    bySize() ? plan.fpr : 0,
    plan.bits,
    plan.fpr,
    plan.lines
  ];
  return data.kinds
    .filter(
      kind =>
        kind.map === map &&
        (mayForget || !kind.forgets) &&
        asked.every(need => need === "forgets" || kind[need])
    )
    .map(kind =>
      bySize() ? fitted(kind, +keys.value, sizeStop()) : planned(kind, +keys.value, +rate.value)
    )
    .filter(plan => plan && plan.fpr > 0)
    .map(plan => [place(plan), plan])
    .sort(([a], [b]) => {
      const i = a.findIndex((v, j) => v !== b[j]);
      return i < 0 ? 0 : a[i] < b[i] ? -1 : 1;
    })
    .map(([, plan]) => plan);
}
// What is drawn at first: the best kind, the next three, and the plain Bloom filter as a reference.
const NEIGHBOURS = 3,
  REFERENCE = "bloom-filter",
  COLORS = 8,
  ROWS = 6;
const usual = (plan, i) => i <= NEIGHBOURS || plan.kind.name === REFERENCE;
function colored(ranked) {
  const shown = ranked
    .filter(usual)
    .concat(ranked.filter((plan, i) => !usual(plan, i) && pinned.has(plan.kind.name)));
  return new Map(
    shown.map((plan, i) => [plan.kind, `var(--c${i < COLORS ? i : 1 + ((i - 1) % (COLORS - 1))})`])
  );
}

function draw() {
  const k = +keys.value,
    n = data.keys[k],
    map = needs().includes("map");
  if (map) form.elements.given.value = "rate";
  form.elements.given[1].disabled = memory.disabled = map;
  $("map-note").hidden = !map;
  memory.max = sizes().length - 1;
  const ranked = offers(),
    best = ranked[0],
    colors = colored(ranked);

  // The slider that is not asked for stands at what was found.
  if (bySize()) {
    memory.value = sizeStop();
    if (best) rate.value = nearest(data.rates, best.fpr);
  } else if (best) memory.value = nearest(sizes(), best.bits / 8);
  $("rate-part").classList.toggle("found", bySize());
  $("memory-part").classList.toggle("found", !bySize());
  const say = (slider, text) => {
    $(slider.id + "-said").value = text;
    slider.setAttribute("aria-valuetext", text);
  };
  const saidRate = p => `${percent(p)} (${oneIn(p)})`;
  say(keys, count(n));
  say(
    rate,
    !bySize() ? saidRate(data.rates[rate.value]) : best ? "gives " + saidRate(best.fpr) : "none"
  );
  say(
    memory,
    bySize()
      ? `${bytes(sizeNow())} (${((8 * sizeNow()) / n).toFixed(2)} bits per key)`
      : best
        ? `takes ${bytes(best.bits / 8)}`
        : "none"
  );
  $("order-said").textContent = bySize() ? "lowest rate" : "smallest";

  drawPick(best, n);
  drawTable(ranked, colors);
  drawPlots(ranked, colors);
  remember();
}

// As filled() in cli/recipe.cpp: a command or a line of C++ with the numbers of a plan.
const roundedUp = p => {
  const power = Math.floor(Math.log10(p)) - 2;
  return +(Math.ceil((p / 10 ** power) * (1 - 1e-9)) + "e" + power);
};
function filled(template, plan) {
  const perKey = (8 * sizeNow()) / plan.keys;
  return template
    .replace("@keys@", plan.keys)
    .replace("@rate@", bySize() ? roundedUp(plan.fpr) : data.rates[rate.value])
    .replace("@per_key@", perKey)
    .replace("@bits@", Math.floor(perKey * plan.keys));
}

function drawPick(best, n) {
  const figures = $("figures");
  figures.replaceChildren();
  $("why").textContent =
    (fastest() ? "fewest cache lines, then " : "") +
    (bySize() ? "lowest rate in this size" : "smallest at this rate");
  $("pick").textContent = best ? best.kind.name : "none";
  const flags = {
    grows: "--grow",
    expands: "--expand",
    erases: "--erase",
    counts: "--count",
    merges: "--merge",
    ages: "--window",
    forgets: "--forget",
    map: `--values ${data.value_bits}`
  };
  $("command").textContent = [
    `umbel plan --keys ${n}`,
    bySize() ? `--memory ${sizeNow()}` : `--fpr ${data.rates[rate.value]}`,
    ...needs().map(need => flags[need]),
    ...(fastest() ? ["--fastest"] : [])
  ].join(" ");
  $("gives-up").hidden = !best || !best.kind.gives_up;
  for (const [id, templates] of [
    ["build", best && best.kind.command],
    ["cpp", best && best.kind.cpp]
  ]) {
    $(id).parentNode.hidden = !best;
    $(id).textContent = best ? filled(templates[+bySize()], best) : "";
  }
  if (!best) {
    $("summary").textContent = bySize()
      ? "No kind does all this in so little memory. Allow more memory, or leave out a need."
      : "No kind does all this at this rate. Allow a higher rate, or leave out a need.";
    return;
  }
  for (const [name, value, more] of [
    ["Memory", bytes(best.bits / 8), best.perKey.toFixed(2) + " bits per key"],
    ["False positive rate", percent(best.fpr), oneIn(best.fpr)],
    ["Cache lines read", best.lines, "per query, about"]
  ]) {
    const part = node(figures, "div");
    node(part, "dt", name);
    node(node(part, "dd", value), "small", more);
  }
  // The bound is one of sets that keep their keys.
  const least = leastBits(best.fpr),
    over = best.perKey / least,
    more =
      over < 1.1
        ? ((over - 1) * 100).toFixed(over < 1.01 ? 2 : 1) + " % more than that bound"
        : over.toFixed(2) + " times that";
  $("summary").textContent =
    `A ${best.kind.map ? "map" : "set"} ${best.kind.forgets ? "that keeps all its keys " : ""}` +
    `with this rate cannot take less than ${least.toFixed(2)} bits per key, ` +
    bytes((n * least) / 8) +
    (best.kind.forgets ? "." : `: ${best.kind.name} takes ${more}.`);
  $("gives-up").textContent = "It gives up " + best.kind.gives_up + ".";
}

function drawTable(ranked, colors) {
  const body = $("offers"),
    focused = document.activeElement.dataset ? document.activeElement.dataset.kind : null;
  body.replaceChildren();
  // All kinds stand under the headings of `umbel kinds`: the group of the best kind first.
  const groups = [...new Set(ranked.map(plan => plan.kind.group))],
    listed = all
      ? groups.flatMap(group => ranked.filter(plan => plan.kind.group === group))
      : ranked.filter((plan, i) => i < ROWS || colors.has(plan.kind));
  listed.forEach((plan, place) => {
    const i = ranked.indexOf(plan);
    if (all && (!place || listed[place - 1].kind.group !== plan.kind.group))
      node(node(body, "tr", null, { class: "group" }), "th", plan.kind.group, {
        scope: "rowgroup",
        colspan: 6
      });
    const row = node(body, "tr", null, { class: i ? "" : "best" }),
      head = node(row, "th", null, { scope: "row" }),
      on = colors.has(plan.kind);
    // What is drawn at first stays drawn; the others are drawn and taken away by their names.
    const name = usual(plan, i)
      ? node(head, "span", null, { class: "kind" })
      : node(head, "button", null, { class: "kind", type: "button", "aria-pressed": on });
    name.dataset.kind = plan.kind.name;
    node(name, "span", null, {
      class: "swatch",
      style: on ? `background:${colors.get(plan.kind)};border-color:${colors.get(plan.kind)}` : ""
    });
    name.append(plan.kind.name);
    if (!usual(plan, i))
      name.onclick = () => {
        on ? pinned.delete(plan.kind.name) : pinned.add(plan.kind.name);
        draw();
      };
    node(row, "td", plan.perKey.toFixed(2), { class: "per-key" });
    node(row, "td", bytes(plan.bits / 8));
    node(row, "td", percent(plan.fpr), { class: "rate" });
    node(row, "td", plan.lines, { class: "lines" });
    node(row, "td", plan.kind.gives_up, { class: "gives-up" });
    if (focused === plan.kind.name) name.focus();
  });
  const hidden = ranked.length - listed.length;
  $("table-title").textContent = `${ranked.length} kinds do this`;
  $("all").textContent = all ? "Show only the best" : `Show all ${ranked.length} kinds`;
  $("all").setAttribute("aria-pressed", all);
  $("all").hidden = !all && !hidden && ranked.every(plan => colors.has(plan.kind));
}

// ---- events
keys.max = data.keys.length - 1;
rate.max = data.rates.length - 1;
$("about").textContent =
  `Made by umbel ${data.version} with umbel plan --html. ` +
  `Maps here hold values of ${data.value_bits} bits.`;
$("more-options").open =
  matchMedia("(min-width: 60rem)").matches ||
  /&(?!memory|rate|with|all)/.test(location.hash || data.start);
restore();
draw();
form.addEventListener("input", event => {
  if (event.target === rate) form.elements.given.value = "rate";
  if (event.target === memory) form.elements.given.value = "memory";
  if (event.target === memory || event.target.name === "given") size = sizes()[memory.value];
  draw();
});
form.addEventListener("submit", event => event.preventDefault());
$("all").onclick = () => {
  all = !all;
  draw();
};
addEventListener("hashchange", () => {
  restore();
  draw();
});
let drawnAt = innerWidth;
new ResizeObserver(() => {
  if ($("rate-plot").clientWidth !== drawnAt) {
    drawnAt = $("rate-plot").clientWidth;
    draw();
  }
}).observe($("rate-plot"));
