/** A file by drop, paste or picker. The whole field takes a drop, and a paste anywhere on the page counts. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { formatBytes } from '../text/format.ts'
import { t } from '../text/text.ts'
import { Icon } from './icon.tsx'

export type DropZoneProps = {
  label: string
  /** What the file contains, in a few words. */
  help?: ComponentChildren
  /** As of `<input type="file">`: `.csv,text/csv`. */
  accept: string
  maxBytes: number
  onFile: (file: File) => void
  /** Takes a pasted text too, as a file of this name. */
  pasteName?: string
}

export function DropZone(props: DropZoneProps) {
  const [isOver, setOver] = useState(false)
  const [error, setError] = useState<string | undefined>(undefined)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()

  function take(file: File | undefined): void {
    if (file === undefined) return
    if (!isAccepted(file, props.accept)) {
      setError(t('table.wrongFile', { name: file.name, allowed: props.accept.replaceAll(',', ', ') }))
      return
    }
    if (file.size > props.maxBytes) {
      const sizes = { size: formatBytes(file.size), most: formatBytes(props.maxBytes) }
      setError(t('table.largeFile', { name: file.name, ...sizes }))
      return
    }
    setError(undefined)
    props.onFile(file)
  }

  useEffect(() => {
    function onPaste(event: ClipboardEvent): void {
      // into a field, it is a text for that field
      if ((event.target as Element | null)?.closest?.('input, textarea, select, [contenteditable]')) return
      const text = event.clipboardData?.getData('text/plain') ?? ''
      const [file] = event.clipboardData?.files ?? []
      if (file !== undefined) take(file)
      else if (text !== '' && props.pasteName !== undefined)
        take(
          new File([text], props.pasteName, { type: props.accept.split(',').find((one) => one.includes('/')) ?? '' }),
        )
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
        class={isOver ? 'drop-zone drop-over' : 'drop-zone'}
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
          take(event.dataTransfer?.files[0])
        }}
      >
        <Icon name="upload" size={20} />
        <button
          type="button"
          class="button"
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
          onChange={(event) => {
            take(event.currentTarget.files?.[0])
            // the same file again is a change too
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

/** By its end or its type: systems disagree about the type of CSV. */
function isAccepted(file: File, accept: string): boolean {
  return accept.split(',').some((rule) => {
    const wanted = rule.trim().toLowerCase()
    return wanted.startsWith('.') ? file.name.toLowerCase().endsWith(wanted) : file.type === wanted
  })
}
