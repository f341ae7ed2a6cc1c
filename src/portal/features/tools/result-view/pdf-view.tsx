/** The pages of a PDF below each other, drawn when they come into view. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ApiError } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { formatPercent } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { storedFileAddress } from '../../../ui/download.tsx'
import { Failure, Skeleton } from '../../../ui/states.tsx'
import type { PDFDocumentProxy, PDFPageProxy } from '../result/pdf.ts'
import type { StoredFile } from './file-kind.ts'
import { Unreadable } from './unreadable.tsx'

type Library = typeof import('../result/pdf.ts')
type Opened = { library: Library; pdf: PDFDocumentProxy; first: PDFPageProxy }

const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3]
const FRAME_PX = 34
const MAX_LOSSES = 3

export function PdfView({ file }: { file: StoredFile }) {
  const end = useRef<() => void>(() => undefined)
  const losses = useRef(0)
  useEffect(() => () => end.current(), [])
  const { data, error, reload } = useResource(
    async (signal): Promise<Opened> => {
      const library = await import('../result/pdf.ts')
      const task = library.openPdf(storedFileAddress(file.key))
      end.current = task.end
      signal.addEventListener('abort', task.end)
      try {
        const pdf = await task.document
        return { library, pdf, first: await pdf.getPage(1) }
      } catch (failure) {
        // missing bytes are requested again; a file that ends too early never completes
        const isLost = library.pdfFailure(failure) === 'lost' && ++losses.current < MAX_LOSSES
        const reason = isLost ? 'lost' : library.pdfFailure(failure) === 'password' ? 'password' : 'damaged'
        throw reason === 'lost' ? new ApiError(0, 'OFFLINE', '') : new ApiError(200, reason, '')
      }
    },
    [file.key],
  )
  const code = error.value?.code
  if (code === 'password') return <p class="result-note">{t('results.pdfPassword')}</p>
  if (code === 'damaged') return <Unreadable file={file} />
  if (error.value !== undefined) return <Failure error={error.value} onRetry={reload} />
  if (data.value === undefined) return <Skeleton lines={12} />
  return <Pages file={file} {...data.value} />
}

function Pages({ file, library, pdf, first }: Opened & { file: StoredFile }) {
  const scroller = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  /** Undefined while a page fills the width. */
  const [zoom, setZoom] = useState<number | undefined>(undefined)
  const [current, setCurrent] = useState(1)
  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const natural = useMemo(() => library.sizeOf(first, 1), [first])
  const fitting = Math.min(1.6, Math.max(0.2, (width - FRAME_PX) / natural.width))
  const scale = zoom ?? fitting
  const usual = { width: Math.floor(natural.width * scale), height: Math.floor(natural.height * scale) }
  const numbers = Array.from({ length: pdf.numPages }, (_, i) => i + 1)

  function show(page: number): void {
    const wanted = Math.max(1, Math.min(pdf.numPages, page))
    scroller.current?.querySelector(`[data-page="${wanted}"]`)?.scrollIntoView({ block: 'start' })
  }
  function onScroll(): void {
    const element = scroller.current
    if (element === null) return
    const middle = element.scrollTop + element.clientHeight / 3
    const pages = [...element.querySelectorAll<HTMLElement>('[data-page]')]
    const shown = pages.findLast(({ offsetTop }) => offsetTop <= middle)
    setCurrent(Number(shown?.dataset.page ?? 1))
  }
  return (
    <section class="result-pdf" aria-label={t('results.pagesOf', { name: file.filename })}>
      <div class="row">
        <IconButton icon="up" label={t('results.previousPage')} onClick={() => show(current - 1)} />
        <IconButton icon="down" label={t('results.nextPage')} onClick={() => show(current + 1)} />
        <span class="number" role="status">
          {t('results.pageOf', { page: current, count: pdf.numPages })}
        </span>
        <Button
          kind="quiet"
          disabled={scale <= (ZOOMS[0] as number)}
          onClick={() => setZoom(ZOOMS.findLast((one) => one < scale) ?? ZOOMS[0])}
        >
          −<span class="visually-hidden">{t('results.smaller')}</span>
        </Button>
        <span class="number">{formatPercent(Math.round(scale * 100) / 100)}</span>
        <Button
          kind="quiet"
          disabled={scale >= (ZOOMS.at(-1) as number)}
          onClick={() => setZoom(ZOOMS.find((one) => one > scale) ?? ZOOMS.at(-1))}
        >
          +<span class="visually-hidden">{t('results.larger')}</span>
        </Button>
        {zoom !== undefined && (
          <Button kind="quiet" onClick={() => setZoom(undefined)}>
            {t('results.fitWidth')}
          </Button>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it */}
      <div class="result-pages" ref={scroller} dir="ltr" tabIndex={0} onScroll={onScroll}>
        {width > 0 &&
          numbers.map((number) => (
            <PdfPage
              key={number}
              number={number}
              library={library}
              pdf={pdf}
              scale={scale}
              usual={usual}
              root={scroller.current}
            />
          ))}
      </div>
    </section>
  )
}

type PageProps = {
  number: number
  library: Library
  pdf: PDFDocumentProxy
  scale: number
  /** The size of the first page, until the size of this page is known. */
  usual: { width: number; height: number }
  root: HTMLElement | null
}

function PdfPage({ number, library, pdf, scale, usual, root }: PageProps) {
  const place = useRef<HTMLElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const text = useRef<HTMLDivElement>(null)
  const [isNear, setNear] = useState(false)
  const [page, setPage] = useState<PDFPageProxy | undefined>(undefined)
  const [state, setState] = useState<'waiting' | 'drawn' | 'damaged'>('waiting')
  const [tries, setTries] = useState(1)

  useEffect(() => {
    // several changes can arrive together; the last one wins
    const observer = new IntersectionObserver((entries) => setNear(entries.at(-1)?.isIntersecting === true), {
      root,
      rootMargin: '600px',
    })
    if (place.current) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (!isNear || page !== undefined) return
    pdf.getPage(number).then(setPage, () => setState('damaged'))
  }, [isNear, tries])
  useEffect(() => {
    if (!isNear || page === undefined || canvas.current === null || text.current === null) return
    const drawing = library.drawPage(page, scale, { canvas: canvas.current, text: text.current })
    let isOld = false
    setState('waiting')
    drawing.done.then(
      () => setState('drawn'),
      () => {
        if (!isOld) setState('damaged')
      },
    )
    return () => {
      isOld = true
      drawing.stop()
    }
  }, [isNear, page, scale, tries])

  const { width, height } = page === undefined ? usual : library.sizeOf(page, scale)
  return (
    <section
      ref={place}
      class="result-page"
      data-page={number}
      data-state={state}
      aria-label={t('results.page', { number })}
      style={{ width: `${width}px`, height: `${height}px`, '--total-scale-factor': scale }}
    >
      {isNear && state !== 'damaged' && (
        <>
          <canvas ref={canvas} />
          <div ref={text} class="result-page-text" />
        </>
      )}
      {isNear && state === 'waiting' && <Skeleton lines={10} />}
      {state === 'damaged' && (
        <div class="result-page-damaged">
          <p>{t('results.pageDamaged')}</p>
          <Button
            icon="reload"
            onClick={() => {
              setState('waiting')
              setTries(tries + 1)
            }}
          >
            {t('frame.retry')}
          </Button>
        </div>
      )}
    </section>
  )
}
