/** A dashboard as a JSON file: exported, and imported again, here or elsewhere. The server checks it against the schema. */
import { useRef } from 'preact/hooks'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { notify } from '../../ui/toasts.tsx'
import type { DashboardDocument } from './dashboard-data.ts'

export function exportDashboard(name: string, document: DashboardDocument): void {
  saveFile(`${name}.json`, new Blob([JSON.stringify({ name, document }, undefined, 2)], { type: 'application/json' }))
}

type Content = { name?: unknown; document?: { version?: unknown } }

export function ImportButton({
  onImport,
}: {
  onImport: (name: string, document: DashboardDocument) => Promise<unknown>
}) {
  const input = useRef<HTMLInputElement>(null)
  async function read(file: File): Promise<void> {
    let content: Content
    try {
      content = JSON.parse(await file.text()) as Content
    } catch {
      notify(t('dashboards.notJson', { name: file.name }), { isError: true })
      return
    }
    if (content?.document?.version !== 1) {
      notify(t('dashboards.notDashboard', { name: file.name }), { isError: true })
      return
    }
    const name = typeof content.name === 'string' ? content.name : file.name.replace(/\.json$/i, '')
    await onImport(name, content.document as DashboardDocument)
  }
  return (
    <>
      <Button icon="upload" onClick={() => input.current?.click()}>
        {t('dashboards.import')}
      </Button>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        hidden
        aria-label={t('dashboards.import')}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? []
          event.currentTarget.value = ''
          if (file !== undefined) void read(file)
        }}
      />
    </>
  )
}
