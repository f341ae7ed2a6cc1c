/** A file that cannot be shown: why, and the alternatives. */
import { href } from '../../../shell/router.ts'
import { t } from '../../../text/text.ts'
import { DownloadButton, storedFileAddress } from '../../../ui/download.tsx'
import { extensionOf, type StoredFile } from './file-kind.ts'

/** The content does not match the file's name, or is damaged. */
export function Unreadable({ file }: { file: StoredFile }) {
  return (
    <div class="result-note" role="alert">
      <p>{t('results.unreadable', { name: file.filename })}</p>
      <DownloadButton address={storedFileAddress(file.key)} />
    </div>
  )
}

/** Tools that convert a file to a format that a browser can show. */
const CONVERTERS = { vector: 'convert.validate-convert', pictureElsewhere: 'image.convert-format' } as const

/** A format that no browser shows. */
export function NotShown({
  file,
  kind,
}: {
  file: StoredFile
  kind: 'vector' | 'pictureElsewhere' | 'document' | 'other'
}) {
  const format = extensionOf(file.filename).toUpperCase()
  const converter = kind === 'vector' || kind === 'pictureElsewhere' ? CONVERTERS[kind] : undefined
  return (
    <div class="result-note">
      <p>{t('results.notShown', { format })}</p>
      <div class="row">
        <DownloadButton address={storedFileAddress(file.key)} />
        {converter && (
          <a class="button" href={toolAddress(converter, file)}>
            {kind === 'vector' ? t('results.convertToMap') : t('results.convertToPicture')}
          </a>
        )}
      </div>
    </div>
  )
}

/** The page of a tool with a stored file as its input. */
export const toolAddress = (process: string, file: Pick<StoredFile, 'key' | 'filename'>): string =>
  href('/tools/:process', { process }, { input: file.key, name: file.filename })
