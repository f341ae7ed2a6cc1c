/** Title of a page with its main actions, and a link back to its parent. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { Icon } from './icon.tsx'

export function PageHead(props: {
  title: string
  /** A name is isolated, and may have its own text direction. */
  isName?: boolean
  parent?: { href: string; label: string }
  /** Beside the title: a state, an id. */
  beside?: ComponentChildren
  /** Instead of the title, for example a name that can be changed. */
  heading?: ComponentChildren
  children?: ComponentChildren
}) {
  useEffect(() => {
    document.title = `${props.title} · Groundwave`
  }, [props.title])
  return (
    <header class="page-head">
      {props.parent && (
        <a class="page-parent" href={props.parent.href}>
          <Icon name="back" />
          <span>{props.parent.label}</span>
        </a>
      )}
      <div class="page-title">
        {props.heading ?? <h1>{props.isName ? <bdi>{props.title}</bdi> : props.title}</h1>}
        {props.beside}
      </div>
      {props.children && <div class="page-actions">{props.children}</div>}
    </header>
  )
}
