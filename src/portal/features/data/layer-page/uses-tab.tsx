/** The zone rules and Tool APIs that use a layer or a file. */
import { api, dataOf } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { href } from '../../../shell/router.ts'
import { may } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { PlainTable, ROWS_ON_PHONE } from '../../../ui/plain-table.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'

export function UsesTab({ kind, owner, id }: { kind: 'layers' | 'files'; owner: string; id: string }) {
  const mayRead = may.value.keep
  const uses = useResource(
    async (signal) => {
      if (!mayRead) return undefined
      const options = { params: { path: { ownerId: owner, id } }, signal }
      const page = await dataOf(
        kind === 'layers'
          ? api.GET('/manage/v1/owners/{ownerId}/layers/{id}/uses', options)
          : api.GET('/manage/v1/owners/{ownerId}/files/{id}/uses', options),
      )
      return page.items
    },
    [owner, id, mayRead],
  )
  if (!mayRead) return <p class="weak">{t('layers.usesForKeepers')}</p>
  return (
    <Loaded resource={uses}>
      {(items = []) =>
        items.length === 0 ? (
          <Empty title={t('layers.unused')} text={t('layers.unusedText')} />
        ) : (
          <PlainTable
            label={t('layers.usedBy')}
            kind={ROWS_ON_PHONE}
            rows={items}
            keyOf={(use) => use.id}
            columns={[
              [
                t('layers.name'),
                (use) => (
                  <a href={href(use.kind === 'zone-rule' ? '/rules/:id' : '/tool-apis/:id', { id: use.id })}>
                    <bdi>{use.name}</bdi>
                  </a>
                ),
                { isName: true, kind: 'wraps' },
              ],
              [
                t('layers.useKind'),
                (use) =>
                  t(use.kind === 'zone-rule' ? 'layers.zoneRule' : 'layers.toolApi') +
                  (use.version === null ? '' : ` · ${t('layers.pinned', { version: use.version })}`),
              ],
              [t('layers.useState'), ({ enabled }) => t(enabled ? 'layers.on' : 'layers.off')],
            ]}
          />
        )
      }
    </Loaded>
  )
}
