/** The recipes of a person and of the enterprise. */
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { href } from '../../shell/router.ts'
import { ownerId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'

const MAX_RECIPES = 1_000

export function RecipesPage() {
  const list = useResource(
    (signal) => dataOf(api.GET('/enterprise/v1/gis/recipes', { params: { query: { limit: MAX_RECIPES } }, signal })),
    [ownerId.value],
  )
  return (
    <>
      <PageHead title={t('recipes.title')} />
      <Loaded resource={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('recipes.empty')} text={t('recipes.emptyText')}>
              <a class="button button-main" href={href('/runs')}>
                {t('recipes.toRuns')}
              </a>
            </Empty>
          ) : (
            <PlainTable
              label={t('recipes.title')}
              kind={ROWS_ON_PHONE}
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                [
                  t('recipes.name'),
                  ({ id, name }) => (
                    <a href={href('/recipes/:id', { id })}>
                      <bdi>{name}</bdi>
                    </a>
                  ),
                  { isName: true, kind: 'file-name' },
                ],
                [t('recipes.whose'), ({ shared }) => t(shared ? 'recipes.ofAll' : 'recipes.own')],
                [t('recipes.changed'), ({ updatedAt }) => <Age at={updatedAt} />],
              ]}
            />
          )
        }
      </Loaded>
    </>
  )
}
