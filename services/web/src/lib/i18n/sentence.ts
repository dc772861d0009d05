/** A sentence with holes. */
export type Sentence<P> = (p: P) => string;
