addEventListener("keydown", event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const all = [...document.querySelectorAll(".slide")];
    const now = all.findIndex(slide => slide.getBoundingClientRect().bottom > innerHeight / 2);
    all[now + step]?.scrollIntoView({ block: "center", behavior: "instant" });
});
