/** The way from a tool to a Tool API of it, for tools that can be saved. */
import type { Signal } from '@preact/signals'
import { useResource } from '../../api/resource.ts'
import { Icon } from '../../parts/icon.tsx'
import type { FormValues } from '../../parts/process-form/values.ts'
import { href } from '../../router.ts'
import { may, ownerId } from '../../session.ts'
import { t } from '../../text/text.ts'
import { startFromRun } from '../tool-api/saved-form.tsx'
import { loadTools } from '../tool-api/tool-api-data.ts'

export function SaveAsApi({ id, values }: { id: string; values: Signal<FormValues> }) {
  const isAllowed = may.value.keep
  const savable = useResource(async (signal) => (isAllowed ? await loadTools(signal) : []), [isAllowed])
  if (!savable.data.value?.some((tool) => tool.id === id)) return null
  return (
    <section class="tool-save">
      <p class="weak">{t('tools.saveAsApiText')}</p>
      <a
        class="button"
        href={href('/tool-apis/new', {}, { tool: id })}
        onClick={() => startFromRun(ownerId.peek() as string, id, values.peek())}
      >
        <Icon name="toolApi" />
        <span>{t('tools.saveAsApi')}</span>
      </a>
    </section>
  )
}
