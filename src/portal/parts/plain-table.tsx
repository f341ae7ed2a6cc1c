/** A table of few rows. Where it is wider than the screen it scrolls by itself, and the keyboard can do that too. */
import type { ComponentChildren } from 'preact'

export function PlainTable(props: { label: string; kind?: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
    <div
      class={props.kind === undefined ? 'plain-table' : `plain-table ${props.kind}`}
      role="group"
      aria-label={props.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: wide tables scroll, and the keyboard must reach them
      tabIndex={0}
    >
      <table>{props.children}</table>
    </div>
  )
}
