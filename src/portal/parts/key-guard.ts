/** A key is shown once: leaving the page asks first. */
import { useEffect } from 'preact/hooks'
import { leaveQuestions } from '../router.ts'
import { t } from '../text/text.ts'

export function useKeyGuard(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const question = (): boolean => confirm(t('sensorForm.leaveKey'))
    const onUnload = (event: BeforeUnloadEvent): void => event.preventDefault()
    leaveQuestions.add(question)
    addEventListener('beforeunload', onUnload)
    return () => {
      leaveQuestions.delete(question)
      removeEventListener('beforeunload', onUnload)
    }
  }, [isOn])
}
