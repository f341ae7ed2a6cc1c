/** The tools that take a result as their input. */
import { useResource } from '../../../api/resource.ts'
import { ownerId } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { shownIn, toolsAccepting } from '../data/catalogue.ts'
import { type FileKind, type StoredFile, toolInputOf } from './file-kind.ts'
import { toolAddress } from './unreadable.tsx'

type Props = {
  file: Pick<StoredFile, 'key' | 'filename'>
  kind: FileKind
  /** For data that no tool made. */
  label?: string
}

export function UseInTool({ file, kind, label = t('results.useInTool') }: Props) {
  const wanted = toolInputOf(kind)
  const tools = useResource(
    async () => (wanted === undefined ? [] : await toolsAccepting(wanted)),
    [wanted, ownerId.value],
  )
  const fitting = tools.data.value?.map(shownIn)
  if (fitting === undefined || fitting.length === 0) return null
  return (
    <Menu
      label={label}
      button={
        <>
          <Icon name="tool" />
          <span>{label}</span>
          <Icon name="down" size={14} />
        </>
      }
      items={fitting.map(({ id, title }) => ({ label: title, onSelect: toolAddress(id, file) }))}
    />
  )
}
