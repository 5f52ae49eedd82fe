// Draws blocks of plain data. Text enters by textContent only: nothing here reads HTML, and no attribute takes data
// except the keys that keep folds open.

const make = (tag, className, text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};

const lines = (parent, list, firstClass) => {
  list.filter((line) => line !== "").forEach((line, index) => {
    parent.append(make("span", index ? "under" : firstClass || "main", line));
  });
  return parent;
};

const fold = (label, children, key, open) => {
  const node = make("details", "fold");
  node.dataset.key = key;
  node.dataset.start = open ? "open" : "closed";
  node.open = open;
  node.append(make("summary", "", label), ...children);
  return node;
};

const drawRow = (cells, block, tone) => {
  const row = make("tr", tone);
  cells.forEach((cell, column) => {
    const node = make(column ? "td" : "th", block.numeric.includes(column) ? "number" : "");
    if (!column) node.scope = "row";
    row.append(lines(node, Array.isArray(cell) ? cell : [cell]));
  });
  return row;
};

const draw = {
  heading: (block) => {
    const node = make("h2", "", block.text);
    if (block.anchor) node.dataset.anchor = block.anchor;
    return node;
  },
  paragraph: (block) => make("p", block.muted ? "muted" : "", block.text),
  notice: (block, path) => {
    const node = make("section", `notice ${block.role}`);
    node.setAttribute("role", block.role === "note" ? "note" : "status");
    node.append(make("h3", "", block.title), ...block.lines.map((line) => make("p", "", line)));
    if (block.details.length) {
      const list = make("dl", "details");
      block.details.forEach(([name, value]) => list.append(make("dt", "", name), make("dd", "exact", value)));
      node.append(fold(block.label, [list], `${path}-details`, false));
    }
    return node;
  },
  table: (block) => {
    if (!block.rows.length) return make("p", "muted", block.empty);
    const frame = make("div", "scroll");
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", block.caption);
    const table = make("table");
    const head = make("tr");
    block.head.forEach((text, column) => {
      const cell = make("th", block.numeric.includes(column) ? "number" : "", text);
      cell.scope = "col";
      head.append(cell);
    });
    const top = make("thead");
    top.append(head);
    const body = make("tbody");
    body.append(...block.rows.map((row) => drawRow(row.cells, block, row.tone)));
    table.append(make("caption", "", block.caption), top, body);
    frame.append(table);
    return frame;
  },
  pair: (block) => {
    const node = make("div", "pair");
    block.sides.forEach((side) => {
      const part = make("section", "side");
      const list = make("ol", "ranking");
      side.items.forEach((item) => {
        if (item.rule !== undefined) {
          list.append(make("li", "rule", item.rule));
          return;
        }
        const row = make("li", item.tone);
        const text = make("div", "text");
        lines(text, [item.title, ...item.lines]);
        row.append(make("span", "place", item.place), text);
        list.append(row);
      });
      part.append(make("h3", "", side.title), list);
      if (side.note) part.append(make("p", "muted", side.note));
      node.append(part);
    });
    return node;
  },
  folded: (block, path) => fold(block.label, drawAll(block.blocks, `${path}-${block.key}`), block.key, false),
  terms: (block) => {
    const list = make("dl", "terms");
    block.pairs.forEach(([name, text]) => list.append(make("dt", "", name), make("dd", "", text)));
    return list;
  },
  cards: (block, path) => {
    const list = make("ol", "cards");
    list.setAttribute("aria-label", block.caption);
    block.cards.forEach((card) => {
      const node = make("li", "card");
      const head = make("div", "head");
      const title = make("h3", "", card.title);
      head.append(make("span", "place", card.place), title);
      if (card.subtitle) head.append(make("span", "subtitle", card.subtitle));
      const facts = make("p", "facts");
      card.facts.forEach(([name, value]) => {
        const fact = make("span", "fact", `${name} `);
        fact.append(make("b", "", value));
        facts.append(fact);
      });
      facts.append(make("span", "origin", card.origin));
      const text = fold(card.textLabel, [make("div", "wording", card.text)], `${card.key}-text`, true);
      const parts = fold(card.partsLabel, drawAll(card.parts, `${path}-${card.key}`), `${card.key}-parts`, false);
      node.append(head, facts, text, parts);
      list.append(node);
    });
    return list;
  },
};

const drawAll = (blocks, path) => blocks.map((block, index) => draw[block.type](block, `${path}-${index}`));

const folds = (root) => [...root.querySelectorAll("details.fold")];

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".blocks");
  // A fold that a reader opened or closed stays so when the run changes.
  const turned = new Map(folds(root).map((node) => [node.dataset.key, node.open]));
  const focused = root.getRootNode().activeElement;
  const focusKey = focused && focused.parentElement ? focused.parentElement.dataset.key : undefined;
  root.lang = data.language;
  root.replaceChildren(...drawAll(data.blocks, ""));
  folds(root).forEach((node) => {
    if (turned.has(node.dataset.key)) node.open = turned.get(node.dataset.key);
    if (focusKey !== undefined && node.dataset.key === focusKey) node.querySelector("summary").focus({ preventScroll: true });
  });
  // Paper has no folds: everything is open while printing.
  const open = () => folds(root).forEach((node) => {
    node.dataset.before = node.open;
    node.open = true;
  });
  const close = () => folds(root).forEach((node) => {
    node.open = node.dataset.before === "true";
  });
  window.addEventListener("beforeprint", open);
  window.addEventListener("afterprint", close);
  return () => {
    window.removeEventListener("beforeprint", open);
    window.removeEventListener("afterprint", close);
  };
}
