/** A configuration as fields to fill in and texts to paste. */
import { t } from '../../../text/text.ts'
import { CopyButton } from '../../../ui/button.tsx'
import { Code } from '../../account/key-box.tsx'
import type { Configuration } from './configuration.ts'

export function Configured({ settings, blocks, notes }: Configuration) {
  return (
    <>
      {settings !== undefined && (
        <dl class="connect-settings" aria-label={t('connect.settings')}>
          {settings.map(({ label, value }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <code dir="ltr">{value}</code>
                <CopyButton text={value} isSmall />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {blocks?.map(({ title, text }) => (
        <div key={title} class="connect-block">
          <h3>{title}</h3>
          <Code text={text} />
        </div>
      ))}
      {notes?.map((note) => (
        <p key={note} class="weak">
          {note}
        </p>
      ))}
    </>
  )
}
