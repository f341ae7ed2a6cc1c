/** Chooses data of the owner for a field: a layer, a stored file or one of its versions, or the result of a run. */
import { useEffect, useState } from 'preact/hooks'
import { api, dataOf } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { ownerId } from '../../../shell/session.ts'
import { formatAge, formatBytes } from '../../../text/format.ts'
import { isolated, t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { isAccepted } from '../../../ui/drop-zone.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { acceptOf } from './accepted-files.ts'
import type { ProcessInput } from './process.ts'
import type { ChosenFile } from './values.ts'

const KINDS = ['layers', 'files', 'results'] as const
type Kind = (typeof KINDS)[number]
type Choice = { key: string; name: string; note: string; isVersion?: boolean }

/** Maximum number of items in a list; others are found by name. */
const MAX_SHOWN = 100
const TYPING_MS = 200

export function OwnData(props: {
  title: string
  input: ProcessInput
  chosen: readonly ChosenFile[]
  onChoose: (file: ChosenFile) => void
  onClose: () => void
}) {
  const { input, chosen } = props
  const owner = ownerId.value as string
  const takesLayers = input['x-svc-layerId'] !== undefined
  const kinds = KINDS.filter((kind) => kind !== 'layers' || takesLayers)
  const [kind, setKind] = useState<Kind>(kinds[0] as Kind)
  const [text, setText] = useState('')
  const [q, setQ] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setQ(text.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  const { accept } = acceptOf(input.schema.contentMediaType ?? '')
  const fits = (name: string, type = ''): boolean => accept === '' || isAccepted({ name, type }, accept)

  return (
    <Dialog title={props.title} onClose={props.onClose} isWide>
      <div class="stack own-data">
        <Tabs
          label={props.title}
          tabs={kinds.map((id) => ({ id, label: t(`processForm.own.${id}`) }))}
          selected={kind}
          onSelect={(id) => setKind(id as Kind)}
        />
        <input
          type="search"
          dir="auto"
          aria-label={t('processForm.own.search')}
          placeholder={t('processForm.own.search')}
          maxLength={200}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {/* a list of another kind is not clicked while this one loads */}
        <Choices key={kind} kind={kind} owner={owner} q={q} fits={fits} chosen={chosen} onChoose={props.onChoose} />
        <div class="dialog-actions">
          <Button onClick={props.onClose}>{t(chosen.length > 0 ? 'processForm.own.done' : 'frame.cancel')}</Button>
        </div>
      </div>
    </Dialog>
  )
}

type ChoicesProps = {
  kind: Kind
  owner: string
  q: string
  fits: Fits
  chosen: readonly ChosenFile[]
  onChoose: (file: ChosenFile) => void
}

function Choices({ kind, owner, q, fits, chosen, onChoose }: ChoicesProps) {
  const found = useResource((signal) => search(kind, owner, q, fits, signal), [owner, q])
  const isChosen = (key: string): boolean => chosen.some((one) => one.kind === 'stored' && one.key === key)
  return (
    <Loaded resource={found} lines={6}>
      {(choices) =>
        choices.length === 0 ? (
          <p class="weak">{t(q === '' ? `processForm.own.none.${kind}` : 'processForm.own.noneFound')}</p>
        ) : (
          <ul class="own-choices">
            {choices.map(({ key, name, note, isVersion }) => (
              <li key={key} class={isVersion ? 'own-version' : undefined}>
                <button
                  type="button"
                  disabled={isChosen(key)}
                  onClick={() => onChoose({ kind: 'stored', id: `${key} ${chosen.length}`, key, name })}
                >
                  <Icon name={isChosen(key) ? 'check' : kind === 'layers' ? 'layers' : 'file'} />
                  <bdi class="cut" title={name}>
                    {name}
                  </bdi>
                  <span class="weak">{note}</span>
                </button>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}

type Fits = (name: string, mediaType?: string) => boolean

async function search(kind: Kind, owner: string, q: string, fits: Fits, signal: AbortSignal): Promise<Choice[]> {
  const query = { limit: MAX_SHOWN, ...(q !== '' && { q }) }
  const request = { params: { path: { ownerId: owner }, query }, signal }
  if (kind === 'layers') {
    const { items } = await dataOf(api.GET('/manage/v1/owners/{ownerId}/layers', request))
    return items.map(({ id, name, featureCount, version }) => ({
      key: id,
      name,
      note: t('processForm.own.layer', { count: featureCount, version }),
    }))
  }
  if (kind === 'files') {
    const { items } = await dataOf(api.GET('/manage/v1/owners/{ownerId}/files', request))
    return items.flatMap((file) => choicesOf(file, fits))
  }
  const runs = await dataOf(
    api.GET('/enterprise/v1/gis/runs', { params: { query: { limit: MAX_SHOWN, status: 'successful' } }, signal }),
  )
  return runs.items.flatMap(({ name: runName, artifacts, startedAt }) =>
    artifacts
      .filter(({ filename, mediaType }) => fits(filename, mediaType))
      .filter(({ filename }) => `${filename} ${runName ?? ''}`.toLowerCase().includes(q.toLowerCase()))
      .map(({ key, filename, bytes }) => ({
        key,
        name: filename,
        note: [
          runName === null ? null : isolated(runName),
          formatBytes(bytes),
          formatAge(Date.parse(startedAt), Date.now()),
        ]
          .filter((one) => one !== null)
          .join(' · '),
      })),
  )
}

type OwnerFile = {
  id: string
  name: string
  versions: { id: string; version: number; filename: string; bytes: number; scanStatus: string }[]
}

/** The file itself, which stands for its newest version, and each version of a file that has several. */
function choicesOf({ id, name, versions }: OwnerFile, fits: Fits): Choice[] {
  const usable = versions
    .filter(({ scanStatus, filename }) => scanStatus === 'clean' && fits(filename))
    .toSorted((one, other) => other.version - one.version)
  const [newest] = usable
  if (newest === undefined) return []
  const whole = { key: id, name, note: `${t('processForm.own.newest')} · ${formatBytes(newest.bytes)}` }
  if (usable.length === 1) return [{ ...whole, note: formatBytes(newest.bytes) }]
  const single = usable.map(({ id: key, version, filename, bytes }) => ({
    key,
    name: filename,
    note: `${t('processForm.own.version', { version })} · ${formatBytes(bytes)}`,
    isVersion: true,
  }))
  return [whole, ...single]
}
