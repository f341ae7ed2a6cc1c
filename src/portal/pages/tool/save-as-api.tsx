/** The way from a tool to a Tool API of it, for tools that can be saved. */
import { useResource } from '../../api/resource.ts'
import { Icon } from '../../parts/icon.tsx'
import { href } from '../../router.ts'
import { may } from '../../session.ts'
import { t } from '../../text/text.ts'
import { loadTools } from '../tool-api/tool-api-data.ts'

export function SaveAsApi({ id }: { id: string }) {
  const isAllowed = may.value.keep
  const savable = useResource(async (signal) => (isAllowed ? await loadTools(signal) : []), [isAllowed])
  if (!savable.data.value?.some((tool) => tool.id === id)) return null
  return (
    <section class="tool-save">
      <p class="weak">{t('tools.saveAsApiText')}</p>
      <a class="button" href={href('/tool-apis/new', {}, { tool: id })}>
        <Icon name="toolApi" />
        <span>{t('tools.saveAsApi')}</span>
      </a>
    </section>
  )
}
