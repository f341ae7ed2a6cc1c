/** A picture beside the original: a divider between them is moved with the pointer or the arrow keys. */
import { useState } from 'preact/hooks'
import { t } from '../../../text/text.ts'
import { storedFileAddress } from '../../../ui/download.tsx'
import { Switch } from '../../../ui/field.tsx'
import type { StoredFile } from './file-kind.ts'
import { Unreadable } from './unreadable.tsx'

type Size = { width: number; height: number }

/** @param before the original picture, if the browser can show it */
export function PictureView({ file, before }: { file: StoredFile; before: StoredFile | undefined }) {
  const [size, setSize] = useState<Size | undefined>(undefined)
  const [isBroken, setBroken] = useState(false)
  const [isBeforeBroken, setBeforeBroken] = useState(false)
  const [isWhole, setWhole] = useState(true)
  const [share, setShare] = useState(50)
  if (isBroken) return <Unreadable file={file} />
  const compared = isBeforeBroken ? undefined : before
  /** The divider moves to the position that is pressed or dragged. */
  function onPoint(event: PointerEvent & { currentTarget: HTMLElement }): void {
    if (compared === undefined || !isWhole || (event.buttons & 1) === 0) return
    const { left, width } = event.currentTarget.getBoundingClientRect()
    setShare(Math.round(Math.min(100, Math.max(0, (100 * (event.clientX - left)) / width))))
  }
  const isComparing = compared !== undefined && isWhole
  return (
    <div class="result-picture">
      <div class="row">
        <Switch label={t('results.actualSize')} isOn={!isWhole} onChange={(isActual) => setWhole(!isActual)} />
        {size && <span class="weak number">{t('results.pixels', size)}</span>}
      </div>
      {/* the original is at the left in every language, as in the range below */}
      <div class="result-picture-compared" dir="ltr" style={{ '--share': `${share}%` }}>
        <div
          class={isWhole ? 'result-picture-frame' : 'result-picture-frame result-picture-actual'}
          data-comparing={isComparing}
          onPointerDown={onPoint}
          onPointerMove={onPoint}
        >
          <img
            src={storedFileAddress(file.key)}
            alt={t('results.pictureAfter', { name: file.filename })}
            draggable={!isComparing}
            onLoad={({ currentTarget }) =>
              setSize({ width: currentTarget.naturalWidth, height: currentTarget.naturalHeight })
            }
            onError={() => setBroken(true)}
          />
          {compared && (
            <>
              <img
                class="result-picture-before"
                src={storedFileAddress(compared.key)}
                alt={t('results.pictureBefore', { name: compared.filename })}
                draggable={false}
                onError={() => setBeforeBroken(true)}
              />
              <span class="result-picture-line" aria-hidden="true" />
              <span class="result-picture-word result-picture-word-before">{t('results.before')}</span>
              <span class="result-picture-word result-picture-word-after">{t('results.after')}</span>
            </>
          )}
        </div>
        {isComparing && (
          <input
            class="result-picture-range"
            type="range"
            min={0}
            max={100}
            value={share}
            aria-label={t('results.compare')}
            aria-valuetext={t('results.shareBefore', { percent: share })}
            onInput={({ currentTarget }) => setShare(Number(currentTarget.value))}
          />
        )}
      </div>
    </div>
  )
}
