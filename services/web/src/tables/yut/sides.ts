// How the sides look: a shape, a letter and a colour each. The colours climb in lightness, so that they stay apart on grey
// screens and under every kind of colour blindness; a test works that out. They are the same on light and dark boards.
export const SHAPES = ["circle", "square", "triangle", "star"] as const;
export type Shape = (typeof SHAPES)[number];

export interface Look {
  shape: Shape;
  letter: string;
  sign: string;
  fill: string;
  ink: string;
}

export const LOOKS: readonly [Look, Look, Look, Look] = [
  { shape: "circle", letter: "A", sign: "●", fill: "#143f8c", ink: "#ffffff" },
  { shape: "square", letter: "B", sign: "■", fill: "#cf3a2e", ink: "#ffffff" },
  { shape: "triangle", letter: "C", sign: "▲", fill: "#5cc39b", ink: "#16131a" },
  { shape: "star", letter: "D", sign: "★", fill: "#f9e784", ink: "#16131a" },
];

export function look(side: number): Look {
  return LOOKS[side] ?? LOOKS[0];
}

/** Outlines around 0, 0, each about 14 units to every side. */
export const OUTLINES: Record<Exclude<Shape, "circle">, string> = {
  square: "M-12.5 -12.5H12.5V12.5H-12.5Z",
  triangle: "M0 -16L15.5 11.5H-15.5Z",
  star: star(16.5, 8.4),
};

function star(outer: number, inner: number): string {
  const corners = Array.from({ length: 10 }, (_, i) => {
    const angle = (Math.PI * i) / 5 - Math.PI / 2;
    const radius = i % 2 === 0 ? outer : inner;
    return `${(radius * Math.cos(angle)).toFixed(2)} ${(radius * Math.sin(angle)).toFixed(2)}`;
  });
  return `M${corners.join("L")}Z`;
}
