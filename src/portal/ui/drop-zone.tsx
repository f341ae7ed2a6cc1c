/** Files by drop, paste or picker. The whole field accepts drops, and pasting works anywhere on the page. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { formatBytes } from '../text/format.ts'
import { t } from '../text/text.ts'
import { Icon } from './icon.tsx'

export type DropZoneProps = {
  label: string
  /** The purpose of the button, when several zones on a page have the same label. */
  about?: string
  /** The expected content of the file, in a few words. */
  help?: ComponentChildren
  /** As of `<input type="file">`: `.csv,text/csv`. */
  accept: string
  /** Whether other files are refused; otherwise `accept` only filters the picker. */
  isStrict?: boolean
  maxBytes: number
  /** How many files may be chosen at once. */
  mostFiles?: number
  /** One line high, below the files that were chosen already. */
  isSmall?: boolean
  onFile?: (file: File) => void
  /** Instead of `onFile`, for several at once. */
  onFiles?: (files: File[]) => void
  /** Takes a pasted text too, as a file of this name. */
  pasteName?: string
}

export function DropZone(props: DropZoneProps) {
  const [isOver, setOver] = useState(false)
  const [error, setError] = useState<string | undefined>(undefined)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const { mostFiles = 1, isStrict = true } = props

  function faultOf(file: File): string | undefined {
    if (isStrict && !isAccepted(file, props.accept))
      return t('table.wrongFile', { name: file.name, allowed: props.accept.replaceAll(',', ', ') })
    if (file.size <= props.maxBytes) return undefined
    return t('table.largeFile', {
      name: file.name,
      size: formatBytes(file.size),
      most: formatBytes(props.maxBytes),
    })
  }

  /** Valid files are accepted, even if others beside them are not. */
  function take(files: readonly File[]): void {
    if (files.length === 0) return
    const usable = files.filter((file) => faultOf(file) === undefined)
    const faults = files.map(faultOf).filter((fault) => fault !== undefined)
    setError(usable.length > mostFiles ? t('table.manyFiles', { count: mostFiles }) : faults[0])
    const [first] = usable
    if (first === undefined) return
    props.onFile?.(first)
    props.onFiles?.(usable.slice(0, mostFiles))
  }

  useEffect(() => {
    function onPaste(event: ClipboardEvent): void {
      // another zone of the page has handled it
      if (event.defaultPrevented) return
      // a paste into a text field is text for that field
      if ((event.target as Element | null)?.closest?.('input, textarea, select, [contenteditable]')) return
      const text = event.clipboardData?.getData('text/plain') ?? ''
      const files = [...(event.clipboardData?.files ?? [])]
      if (files.length > 0) take(files)
      else if (text !== '' && props.pasteName !== undefined)
        take([
          new File([text], props.pasteName, { type: props.accept.split(',').find((one) => one.includes('/')) ?? '' }),
        ])
      else return
      event.preventDefault()
    }
    addEventListener('paste', onPaste)
    return () => removeEventListener('paste', onPaste)
  })

  return (
    <div class="drop">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same for a keyboard */}
      <div
        class={`drop-zone${isOver ? ' drop-over' : ''}${props.isSmall === true ? ' drop-small' : ''}`}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
        }}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          take([...(event.dataTransfer?.files ?? [])])
        }}
      >
        <Icon name="upload" size={20} />
        <button
          type="button"
          class="button"
          aria-label={props.about === undefined ? undefined : `${props.label}: ${props.about}`}
          aria-describedby={error === undefined ? id : `${id}-error`}
          onClick={() => input.current?.click()}
        >
          {props.label}
        </button>
        <p class="weak" id={id}>
          {t('table.dropHere')} {props.help}
        </p>
        <input
          ref={input}
          type="file"
          hidden
          accept={props.accept}
          multiple={mostFiles > 1}
          onChange={(event) => {
            take([...(event.currentTarget.files ?? [])])
            // choosing the same file again counts as a change too
            event.currentTarget.value = ''
          }}
        />
      </div>
      {error !== undefined && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

/** By its extension or its type: systems disagree about the type of CSV. */
export function isAccepted(file: Pick<File, 'name' | 'type'>, accept: string): boolean {
  return accept.split(',').some((rule) => {
    const wanted = rule.trim().toLowerCase()
    if (wanted.startsWith('.')) return file.name.toLowerCase().endsWith(wanted)
    return wanted.endsWith('/*') ? file.type.startsWith(wanted.slice(0, -1)) : file.type === wanted
  })
}
