/** The API keys of the signed-in person, with which programs act for the person alone. */
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { t } from '../../text/text.ts'
import { tierName } from '../../text/tiers.ts'
import { personalKeySnippets } from '../../ui/snippets.ts'
import { Loaded } from '../../ui/states.tsx'
import { IssuedKeys } from './issued-keys.tsx'

/** The server decides (src/access/plans.ts); this only explains beforehand. */
const PLANS = ['pro', 'max']

export function PersonalKeys({ personId }: { personId: string }) {
  const person = useResource(
    (signal) => dataOf(api.GET('/manage/v1/people/{id}', { params: { path: { id: personId } }, signal })),
    [personId],
  )
  return (
    <Loaded resource={person} lines={3}>
      {({ plan }) => (
        <IssuedKeys<{ name: string; key: string }>
          address={`/manage/v1/people/${encodeURIComponent(personId)}/api-keys`}
          title={t('accounts.account.keys.title')}
          text={t('accounts.account.keys.text')}
          none={t('accounts.account.keys.none')}
          nameHelp={t('accounts.account.keys.nameHelp')}
          isNameRequired
          revokeText={t('accounts.account.keys.revokeText')}
          notOffered={
            PLANS.includes(plan) ? undefined : t('accounts.account.keys.notOffered', { plan: tierName(plan) })
          }
          secretOf={({ key }) => key}
          snippetsOf={({ key }) => personalKeySnippets(key)}
        />
      )}
    </Loaded>
  )
}
