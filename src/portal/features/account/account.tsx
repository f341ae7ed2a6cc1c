/** One's own account: name, password, devices that are signed in, language and appearance, API keys. */
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { digits, language, theme, zone } from '../../shell/preferences.ts'
import { account, loadSession, personId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { LastUse } from '../../ui/age.tsx'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Loaded } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { DataExports } from '../data/data-exports.tsx'
import { deviceName } from '../sensors/device-name.ts'
import { AccountForm, FormFailure, useAccountForm } from './account-form.tsx'
import { PersonalKeys } from './personal-keys.tsx'
import { postJson } from './sign-in.tsx'

const MIN_PASSWORD = 10

export function AccountPage() {
  return (
    <>
      <PageHead title={t('accounts.account.title')} />
      <div class="account-parts">
        <Name />
        <Appearance />
        <Password />
        <Sessions />
        {personId.value !== undefined && <PersonalKeys personId={personId.value} />}
        {personId.value !== undefined && <DataExports ownerId={personId.value} isPerson />}
      </div>
    </>
  )
}

function Name() {
  const form = useAccountForm({ name: account.value?.name ?? '' })
  async function submit(): Promise<void> {
    const isDone = await form.submit((body) => dataOf(api.PATCH('/auth/account', { body })))
    if (!isDone) return
    await loadSession()
    notify(t('accounts.account.nameSaved'))
  }
  return (
    <section>
      <h2>{t('accounts.account.you')}</h2>
      <AccountForm action={t('accounts.account.saveName')} onSubmit={submit}>
        <FormFailure error={form.error.value} />
        <p class="weak">
          <bdi dir="ltr">{account.value?.email}</bdi>
        </p>
        <TextField
          label={t('accounts.account.name')}
          autocomplete="name"
          required
          maxLength={200}
          {...form.field('name')}
        />
      </AccountForm>
    </section>
  )
}

function Appearance() {
  return (
    <section>
      <h2>{t('accounts.account.appearance')}</h2>
      <div class="form">
        <SelectField
          label={t('accounts.account.language')}
          value={language.value}
          options={[
            { value: 'en', label: 'English' },
            { value: 'ar', label: 'العربية' },
          ]}
          onChange={(value) => {
            language.value = value
          }}
        />
        <SelectField
          label={t('accounts.account.digits')}
          value={digits.value}
          options={[
            { value: 'latn', label: '0123456789' },
            { value: 'arab', label: '٠١٢٣٤٥٦٧٨٩' },
          ]}
          onChange={(value) => {
            digits.value = value
          }}
        />
        <SelectField
          label={t('accounts.account.theme')}
          value={theme.value}
          options={(['auto', 'light', 'dark'] as const).map((value) => ({ value, label: t(`frame.themes.${value}`) }))}
          onChange={(value) => {
            theme.value = value
          }}
        />
        <SelectField
          label={t('accounts.account.zone')}
          value={zone.value}
          options={[
            { value: 'local', label: t('frame.zones.local') },
            { value: 'utc', label: 'UTC' },
          ]}
          onChange={(value) => {
            zone.value = value
          }}
        />
        <p class="weak">{t('accounts.account.appearanceKept')}</p>
      </div>
    </section>
  )
}

function Password() {
  const form = useAccountForm({ currentPassword: '', password: '' })
  async function submit(): Promise<void> {
    const isDone = await form.submit((body) => postJson('/auth/password', body))
    if (!isDone) return
    form.set('currentPassword')('')
    form.set('password')('')
    await loadSession()
    notify(t('accounts.account.passwordSaved'))
  }
  return (
    <section>
      <h2>{t('accounts.account.password')}</h2>
      <AccountForm action={t('accounts.account.changePassword')} onSubmit={submit}>
        <FormFailure error={form.error.value} />
        <input type="email" autocomplete="username" value={account.value?.email} readOnly hidden />
        <TextField
          label={t('accounts.account.currentPassword')}
          type="password"
          autocomplete="current-password"
          dir="ltr"
          required
          {...form.field('currentPassword')}
        />
        <TextField
          label={t('accounts.account.newPassword')}
          help={t('accounts.welcome.passwordHelp')}
          type="password"
          autocomplete="new-password"
          dir="ltr"
          required
          minLength={MIN_PASSWORD}
          maxLength={256}
          {...form.field('password')}
        />
        <p class="weak">{t('accounts.account.passwordEnds')}</p>
      </AccountForm>
    </section>
  )
}

function Sessions() {
  const sessions = useResource((signal) => dataOf(api.GET('/auth/sessions', { signal })), [])
  async function end(id: string): Promise<void> {
    await dataOf(api.DELETE('/auth/sessions/{id}', { params: { path: { id } } }))
    sessions.reload()
  }
  async function signOutEverywhere(): Promise<void> {
    await postJson('/auth/sign-out-everywhere', {})
    await loadSession()
  }
  return (
    <section>
      <h2>{t('accounts.account.sessions')}</h2>
      <Loaded resource={sessions} lines={3}>
        {({ items }) => (
          <ul class="session-list">
            {items.map(({ id, userAgent, address, lastUsedAt, isCurrent }) => (
              <li key={id}>
                <div>
                  <strong>
                    <bdi>{deviceName(userAgent ?? '') ?? t('accounts.account.unknownDevice')}</bdi>
                  </strong>
                  <div class="weak">
                    <bdi dir="ltr">{address}</bdi> · <LastUse at={lastUsedAt} recordedEvery="day" />
                  </div>
                </div>
                {isCurrent ? (
                  <span class="weak">{t('accounts.account.thisDevice')}</span>
                ) : (
                  <Button onClick={() => end(id)}>{t('accounts.account.endSession')}</Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Button icon="signOut" onClick={signOutEverywhere}>
        {t('accounts.account.signOutEverywhere')}
      </Button>
    </section>
  )
}
