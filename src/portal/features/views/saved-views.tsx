/** Saved views of a list or the map: a menu of them, and forms to save and delete them. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import type { components } from '../../api/schema.d.ts'
import { BASE, place } from '../../shell/router.ts'
import { enterpriseId, may } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog, FormDialog } from '../../ui/dialog.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { TextField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu, type MenuItem } from '../../ui/menu.tsx'
import { PlainTable } from '../../ui/plain-table.tsx'

type View = components['schemas']['ListedView']
type Page = View['document']['page']

const MAX_VIEWS = 1_000
const MAX_NAME = 200
/** Parts of an address that belong to a visit. */
const NOT_SAVED = ['enterprise']

function shownQuery(): string {
  const query = new URLSearchParams(place.value.query)
  for (const name of NOT_SAVED) query.delete(name)
  return query.toString()
}

export function SavedViews({ page }: { page: Page }) {
  const [asked, setAsked] = useState<'save' | 'manage' | undefined>(undefined)
  const all = useResource(
    (signal) => dataOf(api.GET('/enterprise/v1/assets/views', { params: { query: { limit: MAX_VIEWS } }, signal })),
    [enterpriseId.value],
  )
  const views = (all.data.value?.items ?? []).filter(({ document }) => document.page === page)
  const query = shownQuery()
  const close = (): void => setAsked(undefined)
  const items: (MenuItem | 'line')[] = views.map(({ name, shared, document }) => ({
    label: (
      <span class="tag-count">
        <bdi class="cut">{name}</bdi>
        {shared && <span class="weak">{t('views.shared')}</span>}
      </span>
    ),
    isChecked: document.query === query,
    onSelect: `${BASE}${page}${document.query && `?${document.query}`}`,
  }))
  return (
    <>
      <Menu
        label={t('views.title')}
        button={
          <>
            <Icon name="star" />
            <span>{t('views.title')}</span>
            <Icon name="down" />
          </>
        }
        items={[
          ...items,
          ...(items.length > 0 ? ['line' as const] : []),
          { label: t('views.save'), icon: 'add', onSelect: () => setAsked('save') },
          ...(items.length > 0
            ? [{ label: t('views.manage'), icon: 'settings' as const, onSelect: () => setAsked('manage') }]
            : []),
        ]}
      />
      {asked === 'save' && (
        <SaveDialog
          document={{ version: 1, page, query }}
          onClose={close}
          onSaved={() => {
            close()
            all.reload()
          }}
        />
      )}
      {asked === 'manage' && <ManageDialog views={views} onClose={close} onChange={all.reload} />}
    </>
  )
}

function SaveDialog(props: { document: View['document']; onClose: () => void; onSaved: () => void }) {
  const [name, setName] = useState('')
  const [isShared, setShared] = useState(false)
  const [error, setError] = useState<string | undefined>(undefined)
  const [key] = useState(() => crypto.randomUUID())
  async function submit(): Promise<void> {
    const text = name.trim()
    if (text === '' || [...text].length > MAX_NAME) return setError(t('views.nameRule'))
    await attempt(async () => {
      await dataOf(
        api.POST('/enterprise/v1/assets/views', {
          headers: { 'Idempotency-Key': key },
          body: { name: text, shared: isShared, document: props.document },
        }),
      )
      props.onSaved()
    })
  }
  return (
    <FormDialog title={t('views.save')} action={t('views.saveNow')} onSubmit={submit} onClose={props.onClose}>
      <TextField
        label={t('views.name')}
        help={t('views.help')}
        value={name}
        onInput={setName}
        error={error}
        autoFocus
      />
      {may.value.administer && (
        <label class="check">
          <input type="checkbox" checked={isShared} onChange={(event) => setShared(event.currentTarget.checked)} />
          <span>{t('views.share')}</span>
        </label>
      )}
    </FormDialog>
  )
}

function ManageDialog(props: { views: View[]; onClose: () => void; onChange: () => void }) {
  const remove = (id: string): Promise<unknown> =>
    attempt(async () => {
      await dataOf(api.DELETE('/enterprise/v1/assets/views/{id}', { params: { path: { id } } }))
      props.onChange()
    })
  return (
    <Dialog title={t('views.manage')} onClose={props.onClose}>
      <PlainTable
        label={t('views.title')}
        rows={props.views}
        keyOf={({ id }) => id}
        columns={[
          [t('views.name'), ({ name }) => <bdi>{name}</bdi>, { isName: true }],
          [t('views.seenBy'), ({ shared }) => (shared ? t('views.shared') : t('views.private'))],
          [
            t('views.delete'),
            ({ id, name, shared }) =>
              (!shared || may.value.administer) && (
                <IconButton icon="remove" label={t('views.deleteOne', { name })} onClick={() => void remove(id)} />
              ),
            { isTitleHidden: true },
          ],
        ]}
      />
      <div class="dialog-actions">
        <Button kind="main" onClick={props.onClose}>
          {t('frame.close')}
        </Button>
      </div>
    </Dialog>
  )
}
