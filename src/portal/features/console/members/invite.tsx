/** Inviting a member: the address and the role. */
import { api, dataOf } from '../../../api/client.ts'
import { may, type Role } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { SelectField } from '../../../ui/field.tsx'
import { AccountForm, EmailField, FormFailure, useAccountForm } from '../../account/account-form.tsx'

export type MadeLink = { email: string; path: string; isMailed: boolean; isReset?: true }

export function InviteDialog(props: { enterpriseId: string; onMade: (link: MadeLink) => void; onClose: () => void }) {
  const form = useAccountForm<{ email: string; role: Role }>({ email: '', role: 'member' })
  const { role } = form.values.value
  async function submit(): Promise<void> {
    await form.submit(async (body, key) => {
      const params = { path: { id: props.enterpriseId } }
      const headers = { 'idempotency-key': key }
      const link = await dataOf(api.POST('/manage/v1/enterprises/{id}/invitations', { params, body, headers }))
      props.onMade({ ...link, email: link.email ?? body.email })
    })
  }
  const roles = (['member', 'admin', 'owner'] as const).filter((one) => one !== 'owner' || may.value.own)
  return (
    <Dialog title={t('accounts.members.invite')} onClose={props.onClose}>
      <AccountForm action={t('accounts.members.makeLink')} onSubmit={submit}>
        <FormFailure error={form.error.value} />
        <EmailField {...form.field('email')} />
        <SelectField
          label={t('accounts.members.role')}
          help={t(`accounts.members.roleHelp.${role}`)}
          value={role}
          options={roles.map((value) => ({ value, label: t(`accounts.members.roles.${value}`) }))}
          onChange={form.set('role')}
        />
      </AccountForm>
    </Dialog>
  )
}
