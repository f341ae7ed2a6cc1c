/** Whether an enterprise may use the server at all, and its assets product. */
import { useState } from 'preact/hooks'
import { changeRecord, type Versioned } from '../../api/record.ts'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { notify } from '../../ui/toasts.tsx'
import { type EnterpriseRecord, enterprisePath } from './enterprise-data.ts'
import { HeldMark, Mark, StatusMark } from './mark.tsx'
import { ReasonDialog } from './reason-dialog.tsx'

export function EnterpriseAccess(props: {
  seen: Versioned<EnterpriseRecord>
  onChanged: (next: Versioned<EnterpriseRecord>) => void
}) {
  const { record, etag } = props.seen
  const { id, name, status, suspendedReason, assetsHeld, heldReason } = record
  const [isOpen, setOpen] = useState<'suspend' | 'hold' | undefined>(undefined)
  async function change(fields: object, text: string): Promise<void> {
    await attempt(async () => {
      props.onChanged(await changeRecord<EnterpriseRecord>(enterprisePath(id), etag, fields))
      setOpen(undefined)
      notify(text)
    })
  }
  return (
    <section class="panel stack" aria-labelledby="access">
      <h2 id="access">{t('operator.enterprise.access')}</h2>
      <div class="operator-switch">
        <div>
          <StatusMark of="enterprise" status={status} />
          <p class="weak">
            {t(status === 'active' ? 'operator.enterprise.statusActive' : 'operator.enterprise.statusSuspended')}
          </p>
          {suspendedReason !== null && <p>{t('failures.reason', { reason: suspendedReason })}</p>}
        </div>
        {status === 'active' ? (
          <Button onClick={() => setOpen('suspend')}>{t('operator.enterprise.suspend')}</Button>
        ) : (
          <Button
            kind="main"
            onClick={() => change({ status: 'active' }, t('operator.enterprise.activated', { name }))}
          >
            {t('operator.enterprise.activate')}
          </Button>
        )}
      </div>
      <div class="operator-switch">
        <div>
          {assetsHeld ? <HeldMark /> : <Mark shape="sending">{t('operator.enterprise.assetsWork')}</Mark>}
          {assetsHeld && (
            <p>{t('operator.enterprise.assetsHeld', { reason: heldReason ?? t('operator.enterprise.noReason') })}</p>
          )}
        </div>
        {assetsHeld ? (
          <Button
            kind="main"
            onClick={() => change({ assetsHeld: false, heldReason: null }, t('operator.enterprise.released', { name }))}
          >
            {t('operator.enterprise.release')}
          </Button>
        ) : (
          <Button onClick={() => setOpen('hold')}>{t('operator.enterprise.hold')}</Button>
        )}
      </div>
      {isOpen === 'suspend' && (
        <ReasonDialog
          title={t('operator.enterprise.suspend')}
          text={t('operator.enterprise.suspendText', { name })}
          help={t('operator.enterprise.reasonHelp')}
          onConfirm={(suspendedReason) =>
            change({ status: 'suspended', suspendedReason }, t('operator.enterprise.suspended', { name }))
          }
          onClose={() => setOpen(undefined)}
        />
      )}
      {isOpen === 'hold' && (
        <ReasonDialog
          title={t('operator.enterprise.hold')}
          text={t('operator.enterprise.holdText', { name })}
          help={t('operator.enterprise.reasonHelp')}
          onConfirm={(heldReason) => change({ assetsHeld: true, heldReason }, t('operator.enterprise.held', { name }))}
          onClose={() => setOpen(undefined)}
        />
      )}
    </section>
  )
}
