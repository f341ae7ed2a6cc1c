/** A key is shown once: leaving the page asks first. */
import { useEffect } from 'preact/hooks'
import { leaveQuestions } from '../../shell/router.ts'
import type { TextKey } from '../../text/catalogue.ts'
import { t } from '../../text/text.ts'

/** @param text of the question */
export function useKeyGuard(isOn: boolean, text: TextKey = 'sensorForm.leaveKey'): void {
  useEffect(() => {
    if (!isOn) return
    const question = (): boolean => confirm(t(text))
    const onUnload = (event: BeforeUnloadEvent): void => event.preventDefault()
    leaveQuestions.add(question)
    addEventListener('beforeunload', onUnload)
    return () => {
      leaveQuestions.delete(question)
      removeEventListener('beforeunload', onUnload)
    }
  }, [isOn])
}
