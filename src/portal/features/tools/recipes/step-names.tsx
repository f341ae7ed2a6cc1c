/** The tools of a recipe in their order; one that this person may not run says so. */
import type { ComponentChildren } from 'preact'
import { useResource } from '../../../api/resource.ts'
import { ownerId } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { loadCatalogue, shownIn } from '../data/catalogue.ts'
import type { RecipeStep } from './recipe.ts'

/** Titles by id of the tools that this person may run; undefined while they load. */
export function useTitles(): ReadonlyMap<string, string> | undefined {
  const tools = useResource(loadCatalogue, [ownerId.value])
  return tools.data.value && new Map(tools.data.value.map(shownIn).map(({ id, title }) => [id, title]))
}

type Props = { steps: readonly RecipeStep[]; beside?: (at: number) => ComponentChildren }

export function StepNames({ steps, beside }: Props) {
  const titles = useTitles()
  return (
    <ol class="recipe-steps">
      {steps.map(({ tool }, at) => (
        <li key={at}>
          <strong>
            <bdi>{titles?.get(tool) ?? tool}</bdi>
          </strong>
          {titles !== undefined && !titles.has(tool) && <span class="field-error">{t('recipes.notGranted')}</span>}
          {beside?.(at)}
        </li>
      ))}
    </ol>
  )
}
