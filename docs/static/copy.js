// A copy button on every block of code. Of a session, only the input is copied: no prompts and no output.
document.addEventListener("DOMContentLoaded", () => {
  if (!navigator.clipboard) return; // as on a page that is not served over HTTPS
  for (const block of document.querySelectorAll("div.highlight > pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy-code";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const copy = block.cloneNode(true);
      for (const extra of copy.querySelectorAll(".gp, .go, .gt, .linenos")) extra.remove();
      await navigator.clipboard.writeText(`${copy.textContent.trim()}\n`);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    block.parentElement.append(button);
  }
});
