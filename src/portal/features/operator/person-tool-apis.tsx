/** The Tool APIs of an owner, which the operator may hold with a reason. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { Loaded } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { Mark } from './mark.tsx'
import { ReasonDialog } from './reason-dialog.tsx'

const MAX_TOOL_APIS = 1_000
type Held = { id: string; name: string }

export function PersonToolApis({ ownerId }: { ownerId: string }) {
  const toolApis = useResource(
    (signal) =>
      dataOf(
        api.GET('/manage/v1/owners/{ownerId}/tool-apis', {
          params: { path: { ownerId }, query: { limit: MAX_TOOL_APIS } },
          signal,
        }),
      ),
    [ownerId],
  )
  const [holding, setHolding] = useState<Held | undefined>(undefined)
  async function change({ id }: Held, body: { held: boolean; heldReason: string | null }, text: string) {
    const isDone = await attempt(() =>
      dataOf(api.PATCH('/manage/v1/tool-apis/{id}', { params: { path: { id } }, body })),
    )
    toolApis.reload()
    if (!isDone) return
    setHolding(undefined)
    notify(text)
  }
  return (
    <section class="panel stack" aria-labelledby="tool-apis">
      <h2 id="tool-apis">{t('operator.people.toolApis')}</h2>
      <Loaded resource={toolApis} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="weak">{t('operator.people.noToolApis')}</p>
          ) : (
            <ul class="operator-lines">
              {items.map((one) => {
                const { id, name, tool, held, heldReason, enabled } = one
                return (
                  <li key={id}>
                    <span class="cut">
                      <bdi title={name}>{name}</bdi>{' '}
                      <code dir="ltr" class="weak">
                        {tool}
                      </code>
                    </span>
                    <span class="row">
                      {held ? (
                        <Mark shape="held">
                          {t('operator.enterprise.assetsHeld', {
                            reason: heldReason ?? t('operator.enterprise.noReason'),
                          })}
                        </Mark>
                      ) : (
                        <Mark shape={enabled ? 'sending' : 'off'}>
                          {t(enabled ? 'operator.people.works' : 'operator.people.off')}
                        </Mark>
                      )}
                      {held ? (
                        <Button
                          onClick={() =>
                            change(one, { held: false, heldReason: null }, t('operator.people.released', { name }))
                          }
                        >
                          {t('operator.people.release')}
                        </Button>
                      ) : (
                        <Button title={t('operator.people.holdOf', { name })} onClick={() => setHolding(one)}>
                          {t('operator.people.hold')}
                        </Button>
                      )}
                    </span>
                  </li>
                )
              })}
            </ul>
          )
        }
      </Loaded>
      {holding !== undefined && (
        <ReasonDialog
          title={t('operator.people.hold')}
          text={t('operator.people.holdText', { name: holding.name })}
          help={t('operator.people.reasonHelp')}
          onConfirm={(heldReason) =>
            change(holding, { held: true, heldReason }, t('operator.people.held', { name: holding.name }))
          }
          onClose={() => setHolding(undefined)}
        />
      )}
    </section>
  )
}
