// figures.js - the three plots: rate against size, size against speed, rate while keys come in.

const number = v => String(+v.toFixed(2));
const words = plan => [
  `${plan.perKey.toFixed(2)} bits per key, ${bytes(plan.bits / 8)}`,
  `${percent(plan.fpr)} (${oneIn(plan.fpr)}) false positives`,
  `${plan.lines} cache line${plan.lines === 1 ? "" : "s"} per query`
];

function drawPlots(ranked, colors) {
  const drawn = ranked.filter(plan => all || colors.has(plan.kind));
  // What is in colour lies above the rest.
  drawn.sort((a, b) => colors.has(b.kind) - colors.has(a.kind));
  const look = plan => ({
    name: plan.kind.name,
    color: colors.get(plan.kind) || "var(--rest)",
    rank: plan === ranked[0] ? "pick" : colors.has(plan.kind) ? "" : "rest"
  });
  drawRates(drawn, colors, look);
  drawAll(drawn, colors, look);
  drawGrowth(ranked, colors, look);
}
const inOrder = plot => {
  for (const one of [...plot.series].reverse()) plot.body.append(one.group);
};

function drawRates(drawn, colors, look) {
  const k = +keys.value,
    n = data.keys[k],
    best = drawn[0],
    marked = drawn.filter(plan => colors.has(plan.kind));
  const asked = bySize() ? (8 * sizeNow()) / n : best ? best.perKey : 8,
    level = bySize() ? (best ? best.fpr : leastRate(asked)) : data.rates[rate.value];
  const widest = Math.max(
      2.1 * asked,
      ...marked.map(plan => 1.25 * plan.perKey),
      Math.min(3 * asked, 1.05 * Math.max(0, ...drawn.map(plan => plan.perKey)))
    ),
    lowest = Math.min(0.05, Math.max(1e-30, level ** 1.9));
  const plot = new Plot(
    "rate-plot",
    { from: 0, to: widest, ticks: ticks(0, widest), say: number, title: "Size (bits per key)" },
    { ...rateAxis(lowest, 1), title: "False positive rate (log scale)" }
  );
  if (bySize()) plot.line([plot.px(asked), plot.top], [plot.px(asked), plot.bottom]);
  else plot.line([plot.left, plot.py(level)], [plot.right, plot.py(level)]);
  const bound = [
    0,
    0.5,
    ...Array.from({ length: 120 }, (_, i) => i + 1),
    bySize() ? asked : leastBits(level)
  ]
    .map(b => Math.max(b, valueBits()))
    .sort((a, b) => a - b)
    .map(bits => ({
      x: bits,
      y: leastRate(bits),
      words: [
        `${number(bits)} bits per key, ${bytes((n * bits) / 8)}`,
        `${percent(leastRate(bits))} false positives: no ${valueBits() ? "map" : "set"} does better`
      ]
    }));
  const here = bySize() ? asked : leastBits(level),
    at = bound.findIndex(p => p.x >= here);
  plot.add({
    name: "bound",
    color: "var(--ink)",
    rank: "bound",
    points: bound,
    at: Math.max(0, at),
    dot: best,
    label: best
      ? "bound " + (bySize() ? percent(leastRate(asked)) : leastBits(level).toFixed(2))
      : "bound"
  });
  const beyond = [];
  for (const plan of drawn) {
    const seen = new Set(),
      points = [...data.rates.map((_, r) => planned(plan.kind, k, r)), plan]
        .filter(p => p && p.fpr > 0)
        .sort((a, b) => b.fpr - a.fpr || a.bits - b.bits)
        .filter(p => !seen.has(p.bits + "/" + p.fpr) && seen.add(p.bits + "/" + p.fpr))
        .map(p => ({ x: p.perKey, y: p.fpr, words: words(p) }));
    const marks = colors.has(plan.kind),
      label = `${plan.kind.name} ${bySize() ? percent(plan.fpr) : plan.perKey.toFixed(2)}`;
    const added = plot.add({
      ...look(plan),
      points,
      at: points.findIndex(p => p.x === plan.perKey && p.y === plan.fpr),
      dot: marks,
      label: marks ? label : null
    });
    if (!added) beyond.push(label);
  }
  inOrder(plot);
  plot.list();
  plot.listen();
  const what = valueBits() ? "map" : "set",
    formula = (valueBits() ? valueBits() + " + " : "") + "log2(1/rate)";
  $("rate-caption").textContent =
    `For ${count(n)} keys. Dashed: the bound, ${formula} bits per key; no ${what} takes less. ` +
    `Dots: what each kind ${bySize() ? "makes of this size" : "takes at this rate"}. ` +
    "Point at a curve, tap it, or use the arrow keys to read it." +
    (beyond.length ? ` Beyond the right edge: ${beyond.join(", ")}.` : "");
}

function drawAll(drawn, colors, look) {
  $("all-title").textContent = bySize() ? "Rate against speed" : "Size against speed";
  const deep = Math.max(4, ...drawn.map(plan => plan.lines + 1));
  const values = drawn.map(plan => (bySize() ? plan.fpr : plan.perKey)),
    low = Math.min(...values, bySize() ? 0.5 : 8),
    high = Math.max(...values, bySize() ? 1e-9 : 8);
  const x = bySize()
    ? {
        ...rateAxis(Math.max(1e-40, low / 4), Math.min(1, high * 6)),
        title: "False positive rate (log scale)"
      }
    : {
        from: Math.max(0, Math.floor(low - 1)),
        to: high + Math.max(2, (high - low) * 0.25),
        say: number,
        title: "Size (bits per key)"
      };
  if (!bySize()) x.ticks = ticks(x.from, x.to);
  const plot = new Plot("all-plot", x, {
    from: 0,
    to: deep,
    ticks: ticks(0, deep).filter(Number.isInteger),
    say: number,
    title: "Cache lines read by a query"
  });
  for (const plan of drawn)
    plot.add({
      ...look(plan),
      points: [{ x: bySize() ? plan.fpr : plan.perKey, y: plan.lines, words: words(plan) }],
      at: 0,
      dot: true,
      label: plan.kind.name
    });
  inOrder(plot);
  plot.name(all360);
  plot.listen();
  $("all-caption").textContent =
    `Lower left is better: fewer reads, ${bySize() ? "fewer false positives" : "less memory"}. ` +
    "A query for a member reads that many cache lines, about.";
}

function drawGrowth(ranked, colors, look) {
  const g = data.growth,
    growing = ranked.filter(plan => plan.kind.growth),
    expanding = growing.find(plan => plan.kind.expands);
  // At first the best three that grow, the reference, and the best that keeps its rate.
  const first = new Set(
    growing.filter((plan, i) => i < 3 || plan === expanding || colors.has(plan.kind))
  );
  const drawn = growing.filter(plan => all || first.has(plan));
  const level = bySize()
    ? Math.min(0.5, ...[...first].map(plan => plan.fpr))
    : data.rates[rate.value];
  // Kinds that grow but are not among the best of all get colours of their own here.
  const used = new Set(drawn.map(plan => colors.get(plan.kind)).filter(Boolean)),
    free = Array.from({ length: COLORS }, (_, i) => `var(--c${i})`).filter(
      c => !used.has(c) && c !== "var(--c0)"
    );
  const tint = new Map(
    drawn.map(plan => [
      plan,
      colors.get(plan.kind) || (first.has(plan) ? free.shift() : null) || "var(--rest)"
    ])
  );
  const curves = drawn
    .map(plan => {
      const r = nearest(data.rates, bySize() ? plan.fpr : level),
        points = g.times
          .map((t, i) => ({ x: t, y: plan.kind.growth[r * g.times.length + i] }))
          .filter(p => p.y > 0);
      return [
        plan,
        points.map(p => ({
          ...p,
          words: [
            `${number(p.x)} times the keys planned for`,
            `${percent(p.y)} (${oneIn(p.y)}) false positives`
          ]
        }))
      ];
    })
    .filter(([, points]) => points.length);
  const lowest = Math.min(
    level / 30,
    ...curves
      .filter(([plan]) => tint.get(plan) !== "var(--rest)")
      .map(([, points]) => points[0].y / 2)
  );
  const plot = new Plot(
    "growth-plot",
    {
      from: g.times[0],
      to: g.times.at(-1),
      log: true,
      ticks: [0.25, 0.5, 1, 2, 4],
      say: v => "× " + v,
      title: "Keys inserted / keys planned"
    },
    {
      ...rateAxis(Math.max(lowest, level ** 2 / 30, 1e-30), 1),
      title: "False positive rate (log scale)"
    }
  );
  if (!bySize()) plot.line([plot.left, plot.py(level)], [plot.right, plot.py(level)]);
  plot.line([plot.px(1), plot.top], [plot.px(1), plot.bottom]);
  for (const [plan, points] of curves) {
    const rest = tint.get(plan) === "var(--rest)",
      full = points.length < g.times.length;
    plot.add({
      ...look(plan),
      color: tint.get(plan),
      rank: rest ? "rest" : plan === ranked[0] ? "pick" : "",
      points,
      at: points.length - 1,
      dot: !rest,
      label: rest ? null : plan.kind.name + (full ? " (full)" : "")
    });
  }
  inOrder(plot);
  plot.name(all360);
  plot.listen();
  if (!curves.length)
    node(
      plot.svg,
      "text",
      growing.length ? "No kind reaches this rate." : "None of these kinds grows.",
      { x: plot.left + 12, y: plot.top + 30 }
    );
  $("growth-caption").textContent =
    "The best kinds that take keys one by one, and the best that keeps its rate, each planned " +
    `for ${grouped(g.keys)} keys at ` +
    `${bySize() ? "the rate it has in this size" : "this rate"}: its rate while keys come in. ` +
    "“Full”: it takes no more.";
}
