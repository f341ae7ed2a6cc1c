/**
 * A key, shown once: one button copies it, its commands work when pasted, and it disappears after "I have saved it".
 */
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { t } from '../../text/text.ts'
import { Button, CopyButton } from '../../ui/button.tsx'
import type { Snippet } from '../../ui/snippets.ts'
import { Tabs } from '../../ui/tabs.tsx'

const chosenLanguage = signal<Snippet['language']>('curl')

export function KeyBox(props: {
  title: string
  text?: ComponentChildren
  secret: string
  /** Labels of the parts of a key, if a public half is shown above. */
  pair?: { publicKey: string; publicLabel: string; secretLabel: string }
  snippets?: Snippet[]
  /** What to do with the key, where no command says it. */
  children?: ComponentChildren
  onSaved: () => void
}) {
  return (
    <section class="key-box" aria-label={props.title}>
      <h2>{props.title}</h2>
      <p>{props.text ?? t('frame.keyOnce')}</p>
      {props.pair && (
        <div class="key-line">
          <span class="key-label">{props.pair.publicLabel}</span>
          <code dir="ltr" data-testid="public-key">
            {props.pair.publicKey}
          </code>
          <CopyButton text={props.pair.publicKey} />
        </div>
      )}
      <div class="key-line">
        {props.pair && <span class="key-label">{props.pair.secretLabel}</span>}
        <code dir="ltr" data-testid="key">
          {props.secret}
        </code>
        <CopyButton text={props.secret} />
      </div>
      {props.snippets && <Snippets label={t('frame.commands')} snippets={props.snippets} />}
      {props.children}
      <Button kind="main" icon="check" onClick={props.onSaved}>
        {t('frame.keySaved')}
      </Button>
    </section>
  )
}

/** The same call in each language. */
export function Snippets({ label, snippets }: { label: string; snippets: readonly Snippet[] }) {
  // not every call has a command of the chosen language
  const shown = snippets.find(({ language }) => language === chosenLanguage.value) ?? snippets[0]
  return (
    <>
      <Tabs
        label={label}
        tabs={snippets.map(({ language }) => ({ id: language, label: language }))}
        selected={shown?.language ?? chosenLanguage.value}
        onSelect={(id) => {
          chosenLanguage.value = id as Snippet['language']
        }}
      />
      <Code text={shown?.code ?? ''} />
    </>
  )
}

/** A command or program to copy. */
export function Code({ text }: { text: string }) {
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and the keyboard must reach them */}
      <pre dir="ltr" tabIndex={0}>
        {text}
      </pre>
      <CopyButton text={text} />
    </div>
  )
}
