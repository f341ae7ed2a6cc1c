/** Full screen for a wall: no frame, in the address, and kept awake. */
import { useEffect } from 'preact/hooks'
import { now } from '../../shell/clock.ts'
import { queryValue, setQuery } from '../../shell/router.ts'
import { formatMoment } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { IconButton } from '../../ui/button.tsx'

export function useWall(): { isOn: boolean; begin: () => void; end: () => void } {
  const isOn = queryValue('wall') === 'on'
  function end(): void {
    if (document.fullscreenElement !== null) void document.exitFullscreen()
    setQuery({ wall: undefined })
  }
  useEffect(() => {
    if (!isOn) return
    const leave = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') end()
    }
    // the browser leaves full screen by itself on Escape, without a key event
    const left = (): void => {
      if (document.fullscreenElement === null) setQuery({ wall: undefined })
    }
    addEventListener('keydown', leave)
    document.addEventListener('fullscreenchange', left)
    return () => {
      removeEventListener('keydown', leave)
      document.removeEventListener('fullscreenchange', left)
    }
  }, [isOn])
  useAwake(isOn)
  return {
    isOn,
    begin: () => {
      setQuery({ wall: 'on' }, { push: true })
      // a browser without full screen still shows the page without the frame
      document.documentElement.requestFullscreen?.().catch(() => undefined)
    },
    end,
  }
}

/** Browsers without the interface, and tabs in the background, may dim the screen. */
export function useAwake(isOn: boolean): void {
  useEffect(() => {
    if (!isOn || !('wakeLock' in navigator)) return
    const lock = navigator.wakeLock.request('screen').catch(() => undefined)
    return () => void lock.then((held) => held?.release())
  }, [isOn])
}

export function WallHead({ name, onEnd }: { name: string; onEnd?: () => void }) {
  return (
    <header class="dash-wall-head">
      <h1 class="cut">
        <bdi>{name}</bdi>
      </h1>
      <time class="number">{formatMoment(Math.floor(now.value / 60_000) * 60_000)}</time>
      {onEnd && <IconButton icon="close" label={t('dashboards.endWall')} onClick={onEnd} />}
    </header>
  )
}
