/** Colours of the page's theme, from the tokens. */
export type Palette = {
  surface: string
  text: string
  textWeak: string
  accent: string
  water: string
  land: string
  /** Of an operator's base map. */
  sea: string
  green: string
  building: string
  road: string
  roadEdge: string
  border: string
  coast: string
  track: string
  zone: string
  /** Of a state or a class of a value. */
  colourOf: (kind: string) => string
}
