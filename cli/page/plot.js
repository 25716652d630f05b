// plot.js - plots as SVG whose curves and dots are named at the pointer, the finger and the focus.
const $ = id => document.getElementById(id);
function node(parent, tag, text, attributes) {
  const made = parent.appendChild(
    parent.namespaceURI.endsWith("svg")
      ? document.createElementNS(parent.namespaceURI, tag)
      : document.createElement(tag)
  );
  if (text !== undefined && text !== null) made.textContent = text;
  for (const name in attributes) made.setAttribute(name, attributes[name]);
  return made;
}

// A plot is drawn in the pixels that it has, so that its text is as large on a phone as on a desk.
// An axis has a span [from, to], ticks, a way to say them and a title, and may be logarithmic. A
// series has points, each with its words.
class Plot {
  constructor(id, x, y) {
    const svg = $(id),
      width = svg.clientWidth,
      height = +svg.getAttribute("height");
    Object.assign(this, {
      svg,
      x,
      y,
      left: 48,
      right: width - 10,
      top: 26,
      bottom: height - 40,
      series: [],
      labels: []
    });
    svg.replaceChildren();
    const place = (axis, a, b) => v => {
      const f = axis.log ? Math.log : z => z;
      return a + ((f(v) - f(axis.from)) / (f(axis.to) - f(axis.from) || 1)) * (b - a);
    };
    this.px = place(x, this.left, this.right);
    this.py = place(y, this.bottom, this.top);
    const { left, right, top, bottom, px, py } = this;
    let end = -Infinity;
    for (const t of x.ticks) {
      node(svg, "line", null, { class: "grid", x1: px(t), x2: px(t), y1: top, y2: bottom });
      const text = node(svg, "text", x.say(t), {
          x: px(t),
          y: bottom + 16,
          "text-anchor": "middle"
        }),
        box = text.getBBox();
      if (box.x < end + 6) {
        text.remove();
        continue;
      }
      if (box.x + box.width > width) {
        text.setAttribute("x", width);
        text.setAttribute("text-anchor", "end");
      }
      end = box.x + box.width;
    }
    for (const t of y.ticks) {
      node(svg, "line", null, { class: "grid", x1: left, x2: right, y1: py(t), y2: py(t) });
      node(svg, "text", y.say(t), { x: left - 6, y: py(t) + 4, "text-anchor": "end" });
    }
    node(svg, "line", null, { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom });
    node(svg, "line", null, { class: "axis", x1: left, x2: left, y1: top, y2: bottom });
    node(svg, "text", y.title, { class: "axis-title", x: 0, y: 12 });
    node(svg, "text", x.title, {
      class: "axis-title",
      x: right,
      y: height - 4,
      "text-anchor": "end"
    });
    this.body = node(svg, "g");
    this.names = node(svg, "g", null, { "aria-hidden": "true" });
  }
  inside([x, y]) {
    const { left, right, top, bottom } = this;
    return x >= left - 0.01 && x <= right + 0.01 && y >= top - 0.01 && y <= bottom + 0.01;
  }
  // The part of a polyline that is inside; where it leaves, it is cut at the border.
  path(points) {
    const inside = p => this.inside(p);
    let d = "",
      open = false;
    points.forEach((p, i) => {
      const q = points[i + 1];
      if (inside(p)) {
        d += (open ? "L" : "M") + p[0].toFixed(1) + " " + p[1].toFixed(1);
        open = true;
      }
      if (!q || inside(p) === inside(q)) {
        if (!inside(p)) open = false;
        return;
      }
      let [a, b] = inside(p) ? [p, q] : [q, p];
      for (let step = 0; step < 24; ++step) {
        const m = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
        inside(m) ? (a = m) : (b = m);
      }
      d += (open ? "L" : "M") + a[0].toFixed(1) + " " + a[1].toFixed(1);
      open = inside(q);
    });
    return d;
  }
  line(from, to) {
    node(this.body, "line", null, { class: "now", x1: from[0], y1: from[1], x2: to[0], y2: to[1] });
  }
  // points: {x, y, words}; at: the point where the series is labelled, and read when it is focused;
  // dot: whether that point is drawn. False: no point is in the plot, and nothing was added.
  add({ name, color, rank, points, at, dot, label }) {
    const places = points.map(p => [this.px(p.x), this.py(p.y)]);
    if (!this.inside(places[at])) at = places.findLastIndex(p => this.inside(p));
    if (at < 0) return false;
    const group = node(this.body, "g", null, {
      class: `series ${rank}`,
      style: `--color:${color}`,
      tabindex: -1,
      role: "img",
      "data-kind": name,
      "aria-label": `${name}: ${points[at].words.join(", ")}`
    });
    if (points.length > 1) node(group, "path", null, { d: this.path(places) });
    if (dot || points.length === 1)
      node(group, "circle", null, {
        cx: places[at][0],
        cy: places[at][1],
        r: rank === "rest" ? 4 : 5.5
      });
    const one = { name, group, points, places, at };
    this.series.push(one);
    if (label)
      this.labels.push({ text: label, x: places[at][0], y: places[at][1], color, rank, name });
    return true;
  }
  // Each label goes to the free place nearest to its point that hides least of the curves; a line
  // leads there.
  name(directions) {
    const high = 16,
      taken = [],
      crowd = [];
    for (const { points, places, group } of this.series) {
      places.forEach((p, i) => {
        const q = places[i + 1] || p,
          parts =
            points.length > 1 && !group.classList.contains("rest")
              ? Math.ceil(Math.hypot(q[0] - p[0], q[1] - p[1]) / 6)
              : 1;
        for (let j = 0; j < parts; ++j)
          crowd.push([p[0] + ((q[0] - p[0]) * j) / parts, p[1] + ((q[1] - p[1]) * j) / parts]);
      });
    }
    const dots = this.series.filter(s => s.group.querySelector("circle")).map(s => s.places[s.at]);
    for (const label of this.labels) {
      const text = this.label(label),
        wide = text.getComputedTextLength();
      let best = null;
      for (const radius of [9, 20, 34, 50, 68, 88, 110, 134, 160, 190, 224, 260])
        for (const angle of directions) {
          const dx = radius * Math.cos(angle),
            dy = -radius * Math.sin(angle);
          const x = label.x + dx - (dx < -1 ? wide : Math.abs(dx) <= 1 ? wide / 2 : 0),
            y = label.y + dy - high / 2;
          if (x < this.left + 2 || x + wide > this.right || y < this.top || y + high > this.bottom)
            continue;
          const meets = (p, room) =>
            p[0] > x - room && p[0] < x + wide + room && p[1] > y - room && p[1] < y + high + room;
          if (
            taken.some(
              t => x < t.x + t.wide + 4 && t.x < x + wide + 4 && y < t.y + high && t.y < y + high
            )
          )
            continue;
          const cost =
            radius +
            5 * crowd.filter(p => meets(p, 1)).length +
            60 * dots.filter(p => meets(p, 5)).length;
          if (!best || cost < best.cost) best = { cost, x, y, wide, left: dx < -1 };
        }
      if (!best || (label.rank === "rest" && best.cost > 60)) {
        text.remove();
        continue;
      }
      taken.push(best);
      text.setAttribute("x", best.x.toFixed(1));
      text.setAttribute("y", (best.y + 12).toFixed(1));
      const toX = Math.max(best.x - 2, Math.min(label.x, best.x + wide + 2)),
        toY = Math.max(best.y + 1, Math.min(label.y, best.y + high - 1));
      if (Math.hypot(toX - label.x, toY - label.y) > 10) this.lead(label, toX, toY);
    }
  }
  // Labels in a column at the upper right, which curves that fall to the right leave free: as many
  // as it is high, the bound and the recommended kind first. The others are named by the pointer.
  // Their order keeps the lines to their points from crossing.
  list() {
    const high = 17,
      first = this.top + 14,
      room = Math.floor((this.bottom - 4 - first) / high) + 1,
      must = label => label.rank === "bound" || label.rank === "pick",
      texts = [...this.labels]
        .sort((a, b) => must(b) - must(a))
        .slice(0, room)
        .sort((a, b) => a.x + a.y - (b.x + b.y))
        .map(label => [label, this.label(label)]);
    const left =
      this.right - Math.max(...texts.map(([, text]) => text.getComputedTextLength())) - 2;
    texts.forEach(([label, text], i) => {
      const y = first + i * high;
      text.setAttribute("x", left.toFixed(1));
      text.setAttribute("y", y);
      this.lead(label, left - 4, y - 4);
    });
  }
  label({ text, rank, color, name }) {
    return node(this.names, "text", text, {
      class: `halo name ${rank}`,
      style: `--color:${color}`,
      "data-kind": name
    });
  }
  lead({ x, y, color }, toX, toY) {
    const line = node(this.names, "line", null, {
      class: "leader",
      style: `--color:${color}`,
      x1: x,
      y1: y,
      x2: toX.toFixed(1),
      y2: toY.toFixed(1)
    });
    this.names.insertBefore(line, this.names.firstChild);
  }
  // The curve under the pointer, the finger or the focus is named there.
  listen() {
    const { svg, series } = this,
      tip = svg.parentNode.querySelector(".tip");
    const cursor = node(svg, "circle", null, { class: "cursor", r: 6.5, visibility: "hidden" });
    let current = null;
    const hide = () => {
      if (current) current.one.group.classList.remove("hot");
      current = null;
      tip.hidden = true;
      cursor.setAttribute("visibility", "hidden");
    };
    // Reads point i of a series. The words stand at that point, or where the pointer met the curve.
    const show = (one, i, aloud, place = one.places[i]) => {
      if (current && current.one !== one) current.one.group.classList.remove("hot");
      current = { one, i };
      one.group.classList.add("hot");
      const [x, y] = place;
      cursor.setAttribute("cx", one.places[i][0]);
      cursor.setAttribute("cy", one.places[i][1]);
      cursor.setAttribute("visibility", "visible");
      tip.hidden = false;
      tip.replaceChildren();
      node(tip, "strong", one.name);
      for (const words of one.points[i].words) node(tip, "div", words);
      // Beside the point, where there is room; else above it, or below.
      const room = svg.parentNode.clientWidth,
        wide = tip.offsetWidth,
        high = tip.offsetHeight;
      const above = svg.getBoundingClientRect().top - svg.parentNode.getBoundingClientRect().top;
      const beside = x + 14 + wide <= room ? x + 14 : x - 14 - wide;
      const left = beside >= 0 ? beside : Math.max(0, Math.min(x - wide / 2, room - wide));
      const down =
        above + (beside >= 0 ? y - high / 2 : y - high - 14 >= 0 ? y - high - 14 : y + 14);
      tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(Math.max(0, down))}px)`;
      if (aloud) $("spoken").textContent = `${one.name}: ${one.points[i].words.join(", ")}`;
    };
    const inside = p => this.inside(p);
    const at = event => {
      const box = svg.getBoundingClientRect(),
        x = event.clientX - box.left,
        y = event.clientY - box.top;
      let found = null,
        least = 40;
      for (const one of series)
        one.places.forEach((p, i) => {
          const q = one.places[i + 1] || p,
            length = (q[0] - p[0]) ** 2 + (q[1] - p[1]) ** 2;
          const t = length
            ? Math.max(
                0,
                Math.min(1, ((x - p[0]) * (q[0] - p[0]) + (y - p[1]) * (q[1] - p[1])) / length)
              )
            : 0;
          const nearest = [p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])];
          const away =
            Math.hypot(nearest[0] - x, nearest[1] - y) +
            (one.group.classList.contains("rest") ? 0.5 : 0);
          const near = t > 0.5 && inside(q) ? i + 1 : i;
          if (away < least && inside(one.places[near])) {
            least = away;
            found = [one, Math.min(near, one.points.length - 1), false, nearest];
          }
        });
      found ? show(...found) : hide();
    };
    svg.onpointermove = event => {
      if (event.pointerType === "mouse") at(event);
    };
    svg.onpointerdown = at;
    svg.onclick = at;
    svg.onpointerleave = event => {
      if (event.pointerType === "mouse") hide();
    };
    series.forEach((one, i) => {
      one.group.setAttribute("tabindex", i ? -1 : 0);
      one.group.onfocus = () =>
        show(one, current && current.one === one ? current.i : one.at, true);
      one.group.onblur = hide;
    });
    svg.onkeydown = event => {
      const i = series.findIndex(one => one.group === document.activeElement),
        step = { ArrowDown: 1, ArrowUp: -1 }[event.key],
        along = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (i < 0) return;
      if (event.key === "Escape") hide();
      if (step) {
        const next = series[(i + step + series.length) % series.length];
        series.forEach(one => one.group.setAttribute("tabindex", one === next ? 0 : -1));
        next.group.focus();
      }
      if (along) {
        const one = series[i],
          to = (current ? current.i : one.at) + along;
        if (one.places[to] && inside(one.places[to])) show(one, to, true);
      }
      if (step || along) event.preventDefault();
    };
  }
}
const all360 = Array.from({ length: 16 }, (_, i) => (i * Math.PI) / 8);

const raised = n => [...String(n)].map(c => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])).join("");
// About five ticks.
function ticks(from, to) {
  const rough = (to - from) / 5,
    power = 10 ** Math.floor(Math.log10(rough)),
    step = [1, 2, 5, 10].find(s => s * power >= rough) * power,
    out = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to * (1 + 1e-9); ++i) out.push(i * step);
  return out;
}
function rateAxis(from, to) {
  const decades = Math.log10(to / from),
    out = [];
  if (decades < 2) {
    for (let e = Math.floor(Math.log10(from)); e <= 0; ++e)
      for (const m of [1, 2, 5]) out.push(m * 10 ** e);
  } else {
    const step = Math.ceil(decades / 6);
    for (let e = 0; e >= Math.log10(from) - 1e-9; e -= step) out.push(10 ** e);
  }
  return {
    from,
    to,
    log: true,
    ticks: out
      .map(v => +v.toPrecision(3))
      .filter(v => v >= from * 0.999 && v <= to * 1.001)
      .sort((a, b) => a - b),
    say: v =>
      v >= 1e-4 ? +(100 * v).toPrecision(3) + " %" : "10" + raised(Math.round(Math.log10(v)))
  };
}
