// A slider over a track: it gets the points, the lists between them and all sentences once, and re-orders the rows by itself. The server
// is told a value only when the reader lets go. Text enters by textContent only: nothing here reads HTML.

const SVG = "http://www.w3.org/2000/svg";
const PAUSE = 400; // ms without a key before a value that was set by keys counts as let go
const GLIDE = 160; // ms for which a row glides to its new place

const make = (tag, className, text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};

const put = (node, text) => {
  if (node.textContent !== text) node.textContent = text;
};

const fill = (sentence, values) => sentence.replace(/\{(\w+)\}/g, (all, name) => (name in values ? values[name] : all));

const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

// --- the track ---------------------------------------------------------------------------------------------------------------

// Where a value stands: 2 i for the point i, 2 i + 1 for the stretch behind it.
const position = (points, value) => {
  let low = 0;
  let high = points.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle] < value) low = middle + 1;
    else high = middle;
  }
  return points[low] === value ? 2 * low : 2 * low - 1;
};

const listOf = (data, place) => (place % 2 ? data.between[(place - 1) / 2] : data.at[place / 2]);

// The interval around a position in which the list is the same; both ends are the point itself where it stands alone.
const stable = (data, place) => {
  const { points, between } = data;
  const i = place >> 1;
  if (place % 2) return [points[i], points[i + 1]];
  const here = data.at[i];
  return [i > 0 && between[i - 1] === here ? points[i - 1] : points[i], i < between.length && between[i] === here ? points[i + 1] : points[i]];
};

const round = (data, value) => Math.min(data.high, Math.max(data.low, Number(value.toFixed(data.most))));

const shown = (data, value) => {
  const short = value.toFixed(data.digits);
  return (Number(short) === value ? short : value.toFixed(data.most)).replace(".", data.words.decimal);
};

const typed = (data, text) => {
  const plain = text.trim().replace(",", ".");
  const value = /^[-+]?(\d+\.?\d*|\.\d+)$/.test(plain) ? round({ ...data, low: -Infinity, high: Infinity }, Number(plain)) : NaN;
  return value >= data.low && value <= data.high ? value : null;
};

// --- what stands on the page ---------------------------------------------------------------------------------------------------

const skeleton = (root) => {
  const part = {};
  const add = (parent, name, tag, className = name) => {
    part[name] = make(tag, className);
    parent.append(part[name]);
    return part[name];
  };
  const panel = make("section", "panel");
  add(panel, "lead", "p", "muted");
  add(panel, "notice", "p", "notice");
  const head = add(panel, "head", "div");
  const label = add(head, "label", "label");
  const box = add(head, "box", "span");
  const numberLabel = add(box, "numberLabel", "label", "muted");
  const number = add(box, "number", "input");
  add(panel, "invalid", "p", "invalid");
  const bed = add(panel, "bed", "div");
  const range = add(bed, "range", "input");
  const ticks = document.createElementNS(SVG, "svg");
  ticks.setAttribute("class", "ticks");
  ticks.setAttribute("aria-hidden", "true");
  part.ticks = ticks;
  bed.append(ticks);
  const scale = add(bed, "scale", "div");
  add(scale, "bracket", "div");
  const force = add(scale, "force", "div");
  scale.setAttribute("aria-hidden", "true");
  force.append(make("span"));
  const ends = add(bed, "ends", "div", "ends muted");
  ends.setAttribute("aria-hidden", "true");
  add(ends, "low", "span");
  add(ends, "high", "span");
  add(panel, "stability", "p");
  const jumps = add(panel, "jumps", "div");
  for (const side of ["previous", "next"]) {
    const cell = add(jumps, `${side}Cell`, "div", "jump");
    add(cell, side, "button", side).type = "button";
    add(cell, `${side}Text`, "p", "muted");
  }
  add(panel, "keys", "p", "keys muted");
  add(panel, "summary", "p");
  add(panel, "listTitle", "h3");
  add(panel, "badges", "p", "badges muted");
  add(panel, "list", "ol", "list");
  add(panel, "empty", "p", "muted");
  const gone = add(panel, "gone", "section");
  add(gone, "goneTitle", "h3", "muted");
  add(gone, "goneList", "ul", "list muted");
  const fold = add(panel, "chart", "details");
  add(fold, "chartTitle", "summary", "");
  add(fold, "chartText", "p", "muted");
  const field = add(fold, "field", "div");
  add(field, "bars", "ul");
  // One pair of lines over all bars: a line in each bar would be new style for every bar at every move.
  const lines = add(field, "lines", "div");
  lines.setAttribute("aria-hidden", "true");
  const across = make("div", "across");
  lines.append(make("span"), across);
  add(across, "forceLine", "div");
  add(across, "atLine", "div");
  const live = add(panel, "live", "p", "spoken");
  live.setAttribute("aria-live", "polite");
  const id = `track-${Math.random().toString(36).slice(2)}`;
  range.type = "range";
  range.id = `${id}-range`;
  label.htmlFor = range.id;
  number.type = "text";
  number.inputMode = "decimal";
  number.autocomplete = "off";
  number.id = `${id}-number`;
  numberLabel.htmlFor = number.id;
  part.invalid.id = `${id}-invalid`;
  part.stability.id = `${id}-stability`;
  range.setAttribute("aria-describedby", part.stability.id);
  part.list.setAttribute("aria-labelledby", (part.listTitle.id = `${id}-list`));
  part.goneList.setAttribute("aria-labelledby", (part.goneTitle.id = `${id}-gone`));
  root.replaceChildren(panel);
  part.panel = panel;
  return part;
};

const keyHint = (node, words) => {
  const key = (text) => make("kbd", "", text);
  const pieces = [
    [[key(words.arrows)], words.keys_step],
    [[key(words.page_up), key("]")], words.keys_next],
    [[key(words.page_down), key("[")], words.keys_previous],
    [[key(words.escape)], words.keys_back],
  ];
  node.replaceChildren(`${words.keys} `);
  pieces.forEach(([keys, text]) => {
    const piece = make("span", "piece");
    keys.forEach((one) => piece.append(one, " "));
    piece.append(text);
    node.append(piece);
  });
};

const drawTicks = (svg, data, part) => {
  const most = Math.max(1, ...data.events.map((event) => event.size));
  svg.setAttribute("viewBox", "0 0 1000 24");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.replaceChildren(
    ...data.events.map((event) => {
      const line = document.createElementNS(SVG, "line");
      const x = 1000 * part(event.at);
      const height = 6 + 18 * Math.sqrt(event.size / most);
      Object.entries({ x1: x, x2: x, y1: 0, y2: height }).forEach(([name, value]) => line.setAttribute(name, value));
      return line;
    }),
  );
};

const drawBars = (list, data, part) => {
  list.replaceChildren(
    ...data.hits.map((hit) => {
      const row = make("li");
      const svg = document.createElementNS(SVG, "svg");
      svg.setAttribute("viewBox", "0 0 1000 10");
      svg.setAttribute("preserveAspectRatio", "none");
      svg.setAttribute("aria-hidden", "true");
      hit.spans.forEach(([low, high]) => {
        const bar = document.createElementNS(SVG, "rect");
        const size = { x: 1000 * part(low), y: 1, width: Math.max(1.5, 1000 * (part(high) - part(low))), height: 8 };
        Object.entries(size).forEach(([name, value]) => bar.setAttribute(name, value));
        svg.append(bar);
      });
      const bed = make("div", "bar");
      bed.append(svg);
      row.append(make("span", "name", hit.title), bed, make("span", "badge", hit.badge));
      return row;
    }),
  );
};

// A row of the list: its node, the nodes of its texts, and the way that it glides.
const hitRow = () => {
  const part = { node: make("li"), glide: null };
  const name = make("span", "name");
  for (const text of ["place", "title", "under", "change", "spoken", "badge"]) part[text] = make("span", text);
  name.append(part.title, part.under);
  part.node.append(part.place, name, part.change, part.spoken, part.badge);
  return part;
};

// --- one slider ----------------------------------------------------------------------------------------------------------------

const start = (root) => {
  const part = skeleton(root);
  const rows = new Map(); // the rows of hits, by hit: a row keeps its node, so that it can glide
  const left = new Map(); // the same for hits that left the list
  let data = null;
  let send = () => {};
  let current = 0; // the value that is shown
  let drawn = null; // the list that is shown, as a place in data.lists
  let waiting = []; // values that were sent and not yet answered, in order
  let timer = 0;
  let held = false; // the pointer holds the slider
  let writing = false; // the number field holds what was not let go

  const share = (value) => (data.high > data.low ? (value - data.low) / (data.high - data.low) : 0);
  const percent = (value) => `${100 * share(value)}%`;
  const say = (value) => shown(data, value);
  const listAt = (value) => listOf(data, position(data.points, value));
  const inForce = () => data.lists[listAt(data.value)] || [];

  const row = (place, among) => {
    const { key } = data.hits[place];
    if (!among.has(key)) among.set(key, hitRow());
    return among.get(key);
  };

  const write = (found, texts) => {
    Object.entries(texts).forEach(([name, text]) => {
      if (found[name].textContent !== text) found[name].textContent = text;
    });
    return found.node;
  };

  const change = (before, after) => {
    const { words } = data;
    if (before === after) return [words.same, words.same_spoken];
    return [before ? fill(before > after ? words.up : words.down, { place: before }) : words.new, ""];
  };

  // Rows glide from where they are seen to where they belong; the order in the document is the new one at once.
  const order = (ids) => {
    const { list } = part;
    const seen = still() ? null : tops([...list.children]);
    const old = new Map(inForce().map((hit, place) => [hit, place + 1]));
    const found = ids.map((hit, place) => {
      const { title, corpus, badge } = data.hits[hit];
      const [text, spoken] = change(old.get(hit) || 0, place + 1);
      const one = row(hit, rows);
      write(one, { place: String(place + 1), title, under: corpus, change: text, spoken, badge });
      one.node.classList.toggle("moved", text !== data.words.same);
      return one;
    });
    list.replaceChildren(...found.map(({ node }) => node));
    part.empty.hidden = ids.length > 0;
    out(ids, old);
    if (seen) glide(found, seen);
  };

  // The hits of the list in force that are not in this one.
  const out = (ids, old) => {
    const here = new Set(ids);
    const found = inForce().filter((hit) => !here.has(hit));
    part.gone.hidden = !found.length;
    part.goneList.replaceChildren(
      ...found.map((hit) => {
        const { title, corpus, badge } = data.hits[hit];
        return write(row(hit, left), { place: "–", title, under: corpus, change: fill(data.words.gone, { place: old.get(hit) }), badge });
      }),
    );
  };

  const tops = (nodes) => {
    const origin = part.list.getBoundingClientRect().top;
    return new Map(nodes.map((node) => [node, node.getBoundingClientRect().top - origin]));
  };

  const glide = (found, seen) => {
    found.forEach((one) => one.glide && one.glide.cancel());
    const now = tops(found.map(({ node }) => node));
    found.forEach((one) => {
      const way = seen.has(one.node) ? seen.get(one.node) - now.get(one.node) : 0;
      const frames = [{ transform: `translateY(${way}px)` }, { transform: "none" }];
      one.glide = Math.abs(way) > 1 ? one.node.animate(frames, { duration: GLIDE, easing: "ease-out" }) : null;
    });
  };

  const counted = (name, n) => fill(data.words[`count_${name}_${n === 1 ? "one" : "other"}`], { n });

  const summary = (list) => {
    const { words } = data;
    if (current === data.value) return words.in_force;
    if (list === listAt(data.value)) return words.as_in_force;
    const [old, now] = [inForce(), data.lists[list] || []];
    const sizes = {
      new: now.filter((hit) => !old.includes(hit)).length,
      gone: old.filter((hit) => !now.includes(hit)).length,
      moved: now.filter((hit, place) => old.includes(hit) && old[place] !== hit).length,
    };
    const changes = Object.entries(sizes).filter(([, n]) => n);
    return fill(words.against, { changes: changes.map(([name, n]) => counted(name, n)).join(", ") });
  };

  // The events next to a value, null where there is none.
  const beside = (value) => {
    const after = data.events.find((event) => event.at > value) || null;
    const before = data.events.findLast((event) => event.at < value) || null;
    return [before, after];
  };

  const sentence = (place) => {
    const { words } = data;
    const values = { value: say(current) };
    if (listOf(data, place) < 0) return fill(words.stable_refused, values);
    const [low, high] = stable(data, place);
    const kind = low === high ? "point" : current === low || current === high ? "edge" : "between";
    return fill(words[`stable_${kind}`], { ...values, low: say(low), high: say(high) });
  };

  const aloud = (before, after) => {
    const { words } = data;
    const values = { value: say(current) };
    // A value that is only refused changes no list.
    if (before && after && before.size && after.size) return fill(words.spoken_both, { ...values, low: say(before.at), high: say(after.at) });
    const one = [before, after].find((event) => event && event.size);
    return one ? fill(words.spoken_one, { ...values, at: say(one.at) }) : fill(words.spoken_none, values);
  };

  // Draw everything that depends on the value. ``keep`` names the control that shows it already.
  const show = (value, keep) => {
    current = value;
    const place = position(data.points, value);
    const list = listOf(data, place);
    if (list !== drawn && list >= 0) {
      drawn = list;
      order(data.lists[list]);
    }
    const { words } = data;
    const [low, high] = stable(data, place);
    const [before, after] = beside(value);
    if (keep !== part.range) part.range.value = String(value);
    if (keep !== part.number) {
      part.number.value = say(value);
      wrong(false);
    }
    part.range.setAttribute("aria-valuetext", aloud(before, after));
    part.atLine.style.left = percent(value);
    part.bracket.style.left = percent(low);
    part.bracket.style.width = `${100 * (share(high) - share(low))}%`;
    part.bracket.classList.toggle("point", low === high);
    part.stability.hidden = list >= 0 && Boolean(data.off || data.constant);
    put(part.stability, sentence(place));
    put(part.summary, summary(list));
    put(part.previousText, before ? before.text : words.none_before);
    put(part.nextText, after ? after.text : words.none_after);
    part.previous.disabled = Boolean(data.off) || stop(-1) === null;
    part.next.disabled = Boolean(data.off) || stop(1) === null;
    root.dataset.value = String(value);
  };

  const wrong = (yes) => {
    part.invalid.hidden = !yes;
    part.number.setAttribute("aria-invalid", String(yes));
    part.number[yes ? "setAttribute" : "removeAttribute"]("aria-describedby", part.invalid.id);
  };

  // The next value to jump to in a direction: the first at which another list stands.
  const stop = (direction) => {
    const here = listAt(current);
    const other = (value) => (value - current) * direction > 0 && listAt(value) !== here;
    const found = direction > 0 ? data.stops.find(other) : data.stops.findLast(other);
    return found === undefined ? null : found;
  };

  // --- letting go ------------------------------------------------------------------------------------------------------------

  const release = () => {
    clearTimeout(timer);
    timer = 0;
    writing = false;
    const list = listAt(current);
    const last = waiting.length ? waiting[waiting.length - 1] : data.value;
    put(part.live, fill(data.words.announced, { value: say(current), summary: list < 0 ? part.stability.textContent : summary(list) }));
    if (list < 0 || current === last) return;
    waiting.push(current);
    send(current);
  };

  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(release, PAUSE);
  };

  const pending = () => {
    if (timer || writing) release();
  };

  const jump = (direction) => {
    const value = stop(direction);
    if (value !== null) show(value);
    later();
  };

  const step = (direction) => {
    const steps = (current - data.low) / data.step;
    const next = direction > 0 ? Math.floor(steps + 1e-9) + 1 : Math.ceil(steps - 1e-9) - 1;
    show(round(data, data.low + next * data.step));
  };

  const back = () => {
    clearTimeout(timer);
    timer = 0;
    writing = false;
    show(waiting.length ? waiting[waiting.length - 1] : data.value);
  };

  const JUMPS = { PageUp: 1, "]": 1, PageDown: -1, "[": -1 };
  const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
  const ENDS = { Home: "low", End: "high" };

  // Keys that mean something here; the others go their way, but not to the shortcuts of the page around.
  const onKey = (event) => {
    event.stopPropagation();
    if (!data || data.off || event.ctrlKey || event.metaKey) return;
    const { key, target } = event;
    if (key in JUMPS) jump(JUMPS[key]);
    else if (key === "Escape") back();
    else if (target === part.range && key in STEPS) step(STEPS[key]);
    else if (target === part.range && key in ENDS) show(data[ENDS[key]]);
    else if (target === part.number && key === "Enter") enter();
    else return;
    event.preventDefault();
    if (target === part.range) clearTimeout(timer);
    if (target === part.range && key !== "Escape") timer = setTimeout(release, 5 * PAUSE);
  };

  const onKeyUp = (event) => {
    if (timer && event.target === part.range) later();
  };

  const onPointer = () => {
    const raw = Number(part.range.value);
    const fine = Math.round(raw / data.fine) * data.fine;
    show(round(data, raw <= data.low || raw >= data.high ? raw : fine), part.range);
  };

  const onTyped = () => {
    const value = typed(data, part.number.value);
    wrong(value === null);
    writing = value !== null;
    if (writing) show(value, part.number);
  };

  const enter = () => {
    if (typed(data, part.number.value) === null) {
      wrong(true);
      return;
    }
    show(current);
    release();
  };

  part.panel.addEventListener("keydown", onKey);
  part.panel.addEventListener("keyup", onKeyUp);
  part.range.addEventListener("pointerdown", () => {
    held = true;
  });
  part.range.addEventListener("input", onPointer);
  const drop = () => {
    if (!held) return;
    held = false;
    show(current);
    release();
  };
  part.range.addEventListener("change", drop);
  part.range.addEventListener("pointerup", drop);
  part.range.addEventListener("pointercancel", drop);
  part.range.addEventListener("blur", pending);
  part.number.addEventListener("input", onTyped);
  part.number.addEventListener("blur", () => {
    pending();
    show(current);
  });
  part.previous.addEventListener("click", () => jump(-1));
  part.next.addEventListener("click", () => jump(1));

  // --- what the server says ---------------------------------------------------------------------------------------------------

  // A late answer to a value that another has followed is no news; a value that was not asked for here comes from elsewhere and counts.
  const answered = (value, before) => {
    const place = waiting.indexOf(value);
    if (place >= 0) waiting = waiting.slice(place + 1);
    else if (value !== before) waiting = [];
    return !waiting.length;
  };

  const texts = () => {
    const { words } = data;
    root.lang = data.language;
    Object.entries({ lead: "lead", numberLabel: "number", low: "low", high: "high", listTitle: "list", badges: "badges" }).forEach(([name, word]) =>
      put(part[name], words[word]),
    );
    put(part.goneTitle, words.gone_title);
    put(part.label, data.label);
    put(part.notice, data.off || data.constant);
    put(part.invalid, words.invalid);
    put(part.previous, `‹ ${words.previous}`);
    put(part.next, `${words.next} ›`);
    put(part.empty, words.empty);
    put(part.chartTitle, words.chart);
    put(part.chartText, words.chart_sentence);
    put(part.force.firstChild, words.force);
    keyHint(part.keys, words);
  };

  const load = (news, trigger) => {
    const before = data;
    data = news;
    send = trigger;
    const other = !before || before.knob !== news.knob;
    if (other) waiting = [];
    const take = answered(news.value, before ? before.value : NaN) && !held && !timer && !writing;
    const off = Boolean(news.off);
    const known = new Set(news.hits.map((hit) => hit.key));
    for (const among of [rows, left]) [...among.keys()].filter((key) => !known.has(key)).forEach((key) => among.delete(key));
    texts();
    part.notice.hidden = !(off || news.constant);
    ["jumps", "chart"].forEach((name) => {
      part[name].hidden = off || Boolean(news.constant);
    });
    ["list", "listTitle", "badges", "summary", "keys", "lead"].forEach((name) => {
      part[name].hidden = off;
    });
    part.range.disabled = off;
    part.number.disabled = off;
    Object.entries({ min: news.low, max: news.high, step: "any" }).forEach(([name, value]) => part.range.setAttribute(name, value));
    part.force.style.left = percent(news.value);
    part.forceLine.style.left = percent(news.value);
    part.force.classList.toggle("right", share(news.value) > 0.5);
    drawTicks(part.ticks, news, share);
    drawBars(part.bars, news, share);
    if (other) part.chart.open = news.hits.length <= 20;
    drawn = null;
    show(other || take ? news.value : round(news, current), held ? part.range : writing ? part.number : undefined);
    if (off) {
      part.gone.hidden = true;
      part.empty.hidden = true;
    }
  };

  return { load, stop: pending };
};

const sliders = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".track");
  if (!sliders.has(root)) sliders.set(root, start(root));
  sliders.get(root).load(data, (value) => setTriggerValue("value", value));
}
