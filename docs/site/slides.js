/* Letters are as large as there is room for, in hundredths of the slide's width. */
let rest = [...document.querySelectorAll(".slide > div > div")];
for (let size = 3.6; rest.length && size > 1; size -= 0.1) {
    rest.forEach(box => box.style.setProperty("--size", size));
    rest = rest.filter(box => box.scrollHeight > box.clientHeight || box.scrollWidth > box.clientWidth);
}

addEventListener("keydown", event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const all = [...document.querySelectorAll(".slide")];
    const now = all.findIndex(slide => slide.getBoundingClientRect().bottom > innerHeight / 2);
    all[now + step]?.scrollIntoView({ block: "center", behavior: "instant" });
});
