/** Placeholders such as `{name}` in tables of texts in two languages. */

/** The names of the placeholders of a text. */
export type Placeholders<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

export const filled = (text: string, valueIn: (name: string) => string): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => valueIn(name))

/** Unicode's first strong isolate and its end: a Latin name or a time cannot change the direction of the sentence around it. */
export const isolated = (text: string): string => `\u2068${text}\u2069`
