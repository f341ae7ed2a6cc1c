/** The folders with results of tools, beside the files that people uploaded. */
import { useResource } from '../../../api/resource.ts'
import { href } from '../../../shell/router.ts'
import { ownerId } from '../../../shell/session.ts'
import { formatWhole } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Icon } from '../../../ui/icon.tsx'
import { loadFolders } from '../../tools/runs/folders.ts'

export function ResultFolders() {
  const folders = useResource(loadFolders, [ownerId.value]).data.value ?? []
  if (folders.length === 0) return null
  return (
    <nav class="result-folders" aria-label={t('runs.resultFolders')}>
      <h2>{t('runs.resultFolders')}</h2>
      <ul>
        {folders.map(({ name, runs }) => (
          <li key={name}>
            <a class="button" href={href('/runs', {}, { folder: name })}>
              <Icon name="folder" />
              <bdi class="cut">{name}</bdi>
              <span class="weak number">{formatWhole(runs)}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
