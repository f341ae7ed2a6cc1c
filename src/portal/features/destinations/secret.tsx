/** The secret that signs deliveries: shown once, with lines that check a signature, and replaced by a new one. */
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { t } from '../../text/text.ts'
import { Button, CopyButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { KeyBox } from '../account/key-box.tsx'
import { useKeyGuard } from '../account/key-guard.ts'
import { type Destination, rotateSecret } from './destination-data.ts'
import { verifiers } from './verifiers.ts'

/** Secrets that were just made, kept nowhere but in this page's memory. */
const shown = signal<ReadonlyMap<string, string>>(new Map())

export function showSecret(destinationId: string, secret: string): void {
  shown.value = new Map(shown.peek()).set(destinationId, secret)
}

export function NewSecret({ destination: { id, name } }: { destination: Destination }) {
  const secret = shown.value.get(id)
  useKeyGuard(secret !== undefined, 'destinations.leaveSecret')
  if (secret === undefined) return null
  return (
    <KeyBox
      title={t('destinations.newSecret', { name })}
      text={t('destinations.secretOnce')}
      secret={secret}
      snippets={verifiers(secret)}
      onSaved={() => {
        shown.value = new Map([...shown.peek()].filter(([one]) => one !== id))
      }}
    />
  )
}

export function SecretPart(props: { destination: Destination; onRotated: () => Promise<void> }) {
  const { id, publicKey } = props.destination
  const [isAsking, setAsking] = useState(false)
  async function rotate(): Promise<void> {
    const isDone = await attempt(async () => {
      showSecret(id, (await rotateSecret(id)).secret)
      await props.onRotated()
    })
    if (!isDone) return
    setAsking(false)
    scrollTo({ top: 0 })
  }
  return (
    <section class="settings-part settings-wide">
      <h2>{t('destinations.secretTitle')}</h2>
      <p class="weak">{t('destinations.secretText')}</p>
      <div class="key-line">
        <span class="key-label">{t('destinations.publicKey')}</span>
        <code dir="ltr">{publicKey}</code>
        <CopyButton text={publicKey ?? ''} isSmall />
      </div>
      <Button icon="key" disabled={shown.value.has(id)} onClick={() => setAsking(true)}>
        {t('destinations.rotate')}
      </Button>
      {isAsking && (
        <Confirm title={t('destinations.rotate')} onConfirm={rotate} onClose={() => setAsking(false)}>
          <p>{t('destinations.rotateText')}</p>
        </Confirm>
      )}
    </section>
  )
}
