/** The way from a tool to a Tool API of it, for tools that can be saved. */
import type { Signal } from '@preact/signals'
import { useResource } from '../../../api/resource.ts'
import { href } from '../../../shell/router.ts'
import { may, ownerId } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { Icon } from '../../../ui/icon.tsx'
import { startFromRun } from '../../tool-apis/one/saved-form.tsx'
import { loadTools } from '../../tool-apis/one/tool-api-data.ts'
import type { FormValues } from '../process-form/values.ts'

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
