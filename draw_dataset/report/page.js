"use strict";
// Shows the wrong predictions that fit the filter. The filter stands in the address, so that a view can be passed on.
(() => {
  const items = JSON.parse(document.getElementById("index").textContent);
  const form = document.getElementById("filter");
  const articles = [...document.querySelectorAll("article[data-item]")];
  const names = ["system", "reason", "q"];

  const apply = () => {
    const { system, reason, q } = Object.fromEntries(names.map((name) => [name, form.elements[name].value]));
    const words = q.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const article of articles) {
      const item = items[Number(article.dataset.item)];
      const fits =
        (!system || item.system === system) &&
        (!reason || item.reason === reason) &&
        words.every((word) => item.text.includes(word));
      article.hidden = !fits;
      shown += fits;
    }
    for (const list of document.querySelectorAll("section.list")) {
      const left = list.querySelectorAll("article:not([hidden])").length;
      list.hidden = !left;
      list.querySelector(".many").textContent = String(left);
    }
    document.getElementById("none").hidden = shown > 0;
    form.elements.count.textContent = `${shown} of ${articles.length} shown`;
  };

  const remember = () => {
    const chosen = new URLSearchParams();
    for (const name of names) if (form.elements[name].value) chosen.set(name, form.elements[name].value);
    history.replaceState(null, "", `#${chosen.size ? chosen : "errors"}`);
  };

  const restore = () => {
    const chosen = new URLSearchParams(location.hash.slice(1));
    if (!names.some((name) => chosen.has(name))) return;
    for (const name of names) form.elements[name].value = chosen.get(name) ?? "";
    apply();
    document.getElementById("errors").scrollIntoView();
  };

  form.addEventListener("input", () => { apply(); remember(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  // The fields are empty only after the event.
  form.addEventListener("reset", () => setTimeout(() => { apply(); remember(); }));
  window.addEventListener("hashchange", restore);
  form.hidden = false;
  apply();
  restore();

  // What can be scrolled must be reachable by keyboard, and only that.
  const reach = () => {
    for (const box of document.querySelectorAll(".wide, .figure, .dd-text")) {
      if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight + 1) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  window.addEventListener("resize", reach);
  reach();
})();
