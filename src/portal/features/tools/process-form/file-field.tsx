/** The files of a field: chosen by drop, paste or picker, reordered, and removed. */
import { useEffect, useId, useMemo, useState } from 'preact/hooks'
import { randomId } from '../../../shell/random-id.ts'
import { formatBytes, formatWhole } from '../../../text/format.ts'
import { inDigits, t } from '../../../text/text.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { DropZone } from '../../../ui/drop-zone.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { acceptOf } from './accepted-files.ts'
import { OwnData } from './own-data.tsx'
import { type ProcessInput, takesSeveral } from './process.ts'
import { type ChosenFile, isRequired } from './values.ts'

export const localFile = (file: File): ChosenFile => ({ kind: 'local', id: randomId(), name: file.name, file })

export function FileField(props: {
  name: string
  input: ProcessInput
  /** Each file is for a separate run. */
  isBatch: boolean
  files: readonly ChosenFile[]
  fault: string | undefined
  onChange: (files: ChosenFile[]) => void
}) {
  const { name, input, isBatch, files, fault, onChange } = props
  const id = useId()
  const isMany = takesSeveral(input)
  const room = input.maxOccurs - files.length
  const [isChoosing, setChoosing] = useState(false)
  const label = isRequired(input) ? input.title : t('processForm.optional', { title: input.title })
  const { accept, isStrict } = acceptOf(input.schema.contentMediaType ?? '')

  function move(from: number, to: number): void {
    const next = [...files]
    const [moved] = next.splice(from, 1)
    if (moved === undefined || to < 0 || to > next.length) return
    next.splice(to, 0, moved)
    onChange(next)
  }

  return (
    <fieldset
      class={fault === undefined ? 'field field-group' : 'field field-group field-wrong'}
      data-field={name}
      aria-describedby={fault === undefined ? `${id}-help` : `${id}-help ${id}-error`}
    >
      <legend>{label}</legend>
      <div class="field-help" id={`${id}-help`}>
        {inDigits(input.description)}
        {isBatch && <div>{t('batch.hint')}</div>}
      </div>
      {files.length > 0 && (
        <ol class="chosen-files">
          {files.map((one, at) => (
            <FileRow
              key={one.id}
              file={one}
              place={isMany && !isBatch ? { at, count: files.length } : undefined}
              onMove={(to) => move(at, to)}
              onRemove={() => onChange(files.filter(({ id: other }) => other !== one.id))}
            />
          ))}
        </ol>
      )}
      {room > 0 && (
        <DropZone
          label={isMany ? t('processForm.chooseFiles') : t('processForm.chooseFile')}
          about={input.title}
          accept={accept}
          isStrict={isStrict}
          maxBytes={input['x-svc-maxBytes'] ?? Number.POSITIVE_INFINITY}
          mostFiles={room}
          isSmall={files.length > 0}
          onFiles={(chosen) => onChange([...files, ...chosen.map(localFile)])}
          help={
            input['x-svc-maxBytes'] === undefined
              ? undefined
              : t('processForm.mostBytes', { size: formatBytes(input['x-svc-maxBytes']) })
          }
        />
      )}
      {room > 0 && (
        <div>
          <Button icon="files" kind="quiet" onClick={() => setChoosing(true)}>
            {t('processForm.own.choose')}
          </Button>
        </div>
      )}
      {isChoosing && (
        <OwnData
          title={t('processForm.own.for', { field: input.title })}
          input={input}
          chosen={files}
          onChoose={(file) => {
            onChange([...files, file])
            if (isBatch || room === 1) setChoosing(false)
          }}
          onClose={() => setChoosing(false)}
        />
      )}
      {fault !== undefined && (
        <div class="field-error" id={`${id}-error`} role="alert">
          {fault}
        </div>
      )}
    </fieldset>
  )
}

/** Pictures that browsers can show. */
const SHOWN_IMAGES = /^image\/(png|jpeg|webp|gif|bmp)$/

function FileRow(props: {
  file: ChosenFile
  place: { at: number; count: number } | undefined
  onMove: (to: number) => void
  onRemove: () => void
}) {
  const { file, place } = props
  const picture = usePicture(file)
  return (
    <li class="chosen-file">
      {place && <span class="number weak">{formatWhole(place.at + 1)}</span>}
      {picture === undefined ? <Icon name="file" /> : <img src={picture} alt="" />}
      <bdi class="cut" title={file.name}>
        {file.name}
      </bdi>
      <span class="weak number">
        {file.kind === 'local' ? formatBytes(file.file.size) : t('processForm.storedFile')}
      </span>
      <span class="chosen-file-actions">
        {place && (
          <>
            <IconButton
              icon="up"
              label={t('processForm.moveUp', { name: file.name })}
              onClick={() => props.onMove(place.at - 1)}
            />
            <IconButton
              icon="down"
              label={t('processForm.moveDown', { name: file.name })}
              onClick={() => props.onMove(place.at + 1)}
            />
          </>
        )}
        <IconButton icon="close" label={t('processForm.removeFile', { name: file.name })} onClick={props.onRemove} />
      </span>
    </li>
  )
}

/** The address of a small picture of the file; undefined for other files. */
function usePicture(file: ChosenFile): string | undefined {
  const picture = useMemo(
    () => (file.kind === 'local' && SHOWN_IMAGES.test(file.file.type) ? URL.createObjectURL(file.file) : undefined),
    [file],
  )
  useEffect(
    () => () => {
      if (picture !== undefined) URL.revokeObjectURL(picture)
    },
    [picture],
  )
  return picture
}
