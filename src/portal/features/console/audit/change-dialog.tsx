/** One record of the audit log: who, when, and each field before and after. */
import { ApiError, api, dataOf } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { href } from '../../../shell/router.ts'
import { formatExact } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { CopyButton } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { PlainTable } from '../../../ui/plain-table.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Actor } from './actor.tsx'
import { changesBetween, type FieldChange, type Value } from './diff.ts'
import { type ToolName, valueText } from './values.ts'
import { actionName, actorParts, type Entry, fieldName, kindName, recordHref } from './words.ts'

export function ChangeDialog(props: {
  owner: string
  id: string
  /** Known already if the dialog was opened from the table. */
  loaded: Entry | undefined
  toolName: ToolName
  onClose: () => void
}) {
  const { owner, id, loaded } = props
  const entry = useResource(
    async (signal) => {
      if (loaded !== undefined) return loaded
      // the first record whose id is not greater
      const query = { owner, limit: 1, cursor: `${id}~` }
      const { items } = await dataOf(api.GET('/manage/v1/audit', { params: { query }, signal }))
      if (items[0]?.id !== id) throw new ApiError(404, 'NOT_FOUND', '')
      return items[0]
    },
    [id],
  )
  return (
    <Dialog title={t('audit.change')} onClose={props.onClose} isWide>
      <Loaded resource={entry}>{(found) => <Change entry={found} toolName={props.toolName} />}</Loaded>
    </Dialog>
  )
}

function Change({ entry, toolName }: { entry: Entry; toolName: ToolName }) {
  const { at, action, actor, subjectKind, subjectId, subjectName, before, after } = entry
  const changes = changesBetween(before, after)
  const address = recordHref(entry)
  const name = <bdi>{subjectName ?? subjectId}</bdi>
  const { who } = actorParts(actor)
  const textOf = ({ path }: FieldChange, value: Value | undefined): string =>
    valueText(path.at(-1) ?? '', value, toolName)
  return (
    <>
      <dl class="facts">
        <dt>{t('audit.when')}</dt>
        <dd>
          <time dateTime={at}>{formatExact(Date.parse(at))}</time>
        </dd>
        <dt>{t('audit.who')}</dt>
        <dd class="row">
          <Actor entry={entry} />
          <a href={href('/settings/audit', {}, { actor: who === '' ? actor : who })}>{t('audit.allOfActor')}</a>
        </dd>
        <dt>{t('audit.what')}</dt>
        <dd>
          {actionName(action)} · {kindName(subjectKind)}
        </dd>
        <dt>{t('audit.record')}</dt>
        <dd class="row">
          {address === undefined ? name : <a href={address}>{name}</a>}
          <code dir="ltr">{subjectId}</code>
          <CopyButton text={subjectId} isSmall />
          <a href={href('/settings/audit', {}, { subject: subjectId })}>{t('audit.allOfRecord')}</a>
        </dd>
      </dl>
      {changes.length === 0 ? (
        <p class="weak">{t('audit.noFields')}</p>
      ) : (
        <PlainTable
          label={t('audit.what')}
          kind="diff"
          rows={changes}
          keyOf={({ path }) => path.join('\n')}
          columns={[
            [
              t('audit.field'),
              ({ path }) => <bdi>{path.map(fieldName).join(' · ')}</bdi>,
              { isName: true, kind: 'wraps' },
            ],
            before !== null && [
              t('audit.before'),
              (change) => <bdi class={after === null ? undefined : 'diff-before'}>{textOf(change, change.before)}</bdi>,
              { kind: 'wraps' },
            ],
            after !== null && [
              t('audit.after'),
              (change) => <bdi class={before === null ? undefined : 'diff-after'}>{textOf(change, change.after)}</bdi>,
              { kind: 'wraps' },
            ],
          ]}
        />
      )}
    </>
  )
}
