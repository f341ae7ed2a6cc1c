/** Creates an enterprise, for the operator, and opens it or calls a function of the page. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { navigate } from '../../shell/router.ts'
import { chooseOwner, loadSession } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { FormFailure } from '../../ui/failure-text.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { useDraft } from '../../ui/form.ts'

const TIERS = ['starter', 'business', 'scale'] as const

export function NewEnterprise({ onCreated = openEnterprise }: { onCreated?: (id: string) => void }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button kind="main" icon="add" onClick={() => setOpen(true)}>
        {t('overview.createEnterprise')}
      </Button>
      {isOpen && <Form onClose={() => setOpen(false)} onCreated={onCreated} />}
    </>
  )
}

function openEnterprise(id: string): void {
  chooseOwner(id)
  navigate('/')
}

function Form({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) {
  const draft = useDraft<{ name: string; tier: (typeof TIERS)[number] }>('enterprise', { name: '', tier: 'starter' })
  const { tier } = draft.values.value

  async function submit(): Promise<void> {
    const created = await draft.submit((body, key) =>
      dataOf(api.POST('/manage/v1/enterprises', { body, headers: { 'idempotency-key': key } })),
    )
    if (created === undefined) return
    onClose()
    onCreated(created.id)
    // the menu of enterprises lists it at once; without a connection, with the next page
    loadSession().catch(() => undefined)
  }

  return (
    <FormDialog title={t('overview.createEnterprise')} onSubmit={submit} onClose={onClose}>
      <TextField label={t('overview.enterpriseName')} maxLength={200} required autoFocus {...draft.field('name')} />
      <SelectField
        label={t('overview.tier')}
        value={tier}
        options={TIERS.map((value) => ({ value, label: t(`overview.tiers.${value}`) }))}
        onChange={(value) => draft.set('tier', value)}
        error={draft.errorAt('tier')}
      />
      <FormFailure error={draft.error.value} />
    </FormDialog>
  )
}
