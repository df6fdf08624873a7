"use strict";
// How a result looks. Everything in it was written by strangers: it is set as text, never as HTML.
const drawing = (() => {
  const isWeb = (address) => /^https?:\/\//i.test(address ?? "");

  // A picture of a page, or one within the address; drawings may contain scripts.
  const isPicture = (address) =>
    isWeb(address) || /^data:image\/(avif|bmp|gif|jpeg|png|webp)[;,]/i.test(address ?? "");

  function element(name, text, kind = "") {
    const made = document.createElement(name);
    made.textContent = text;
    if (kind) made.className = kind;
    return made;
  }

  function drawDocument(found, level, say) {
    const article = document.createElement("article");
    const title = element(level, found.title || found.document || found.url, "title");
    if (isWeb(found.url)) {
      const link = document.createElement("a");
      link.href = found.url;
      link.target = "_blank";
      link.rel = "noopener noreferrer";
      link.textContent = title.textContent;
      title.replaceChildren(link);
    }
    article.append(title);
    if (found.url) article.append(element("p", found.url, "address"));
    if (isPicture(found.image)) {
      const picture = document.createElement("img");
      picture.src = found.image;
      picture.alt = say("image");
      picture.addEventListener("error", () => picture.remove());
      article.append(picture);
    }
    if (found.snippet) article.append(element("p", found.snippet, "snippet"));
    const fields = Object.entries(found.fields ?? {});
    if (fields.length) {
      const list = document.createElement("dl");
      for (const [name, value] of fields) {
        const text = value !== null && typeof value === "object" ? JSON.stringify(value) : String(value ?? "–");
        list.append(element("dt", name), element("dd", text));
      }
      article.append(list);
    }
    return article;
  }

  function drawSide(name, found, say) {
    const side = document.createElement("section");
    side.append(element("h3", say(`side_${name}`)));
    if (!found.length) side.append(element("p", say("none")));
    const list = document.createElement("ol");
    for (const one of found) {
      const item = document.createElement("li");
      item.append(drawDocument(one, "h4", say));
      list.append(item);
    }
    side.append(list);
    return side;
  }

  function prefetch(task) {
    for (const one of [task, ...(task.left ?? []), ...(task.right ?? [])]) {
      if (isWeb(one.image)) new Image().src = one.image;
    }
  }

  return { drawDocument, drawSide, prefetch };
})();
