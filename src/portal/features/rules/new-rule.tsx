/** The page of a new rule. */
import { useMemo } from 'preact/hooks'
import { href, navigate } from '../../shell/router.ts'
import { enterpriseId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { warningsInLanguage } from '../../text/warnings.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { notify } from '../../ui/toasts.tsx'
import { RuleForm } from './form/rule-form.tsx'
import { createRule } from './rule-data.ts'
import { newRule } from './rule-values.ts'
import { useSurroundings } from './surroundings.ts'

/** The draft of a new rule, which other pages fill in before they open this one. */
export const newRuleDraft = (ownerId: string): string => `rule.new.${ownerId}`

export function NewRulePage() {
  const owner = enterpriseId.value as string
  const known = useSurroundings()
  const initial = useMemo(newRule, [])
  return (
    <>
      <PageHead title={t('rules.newTitle')} parent={{ href: href('/rules'), label: t('rules.title') }} />
      <RuleForm
        name={newRuleDraft(owner)}
        initial={initial}
        known={known}
        isNew
        onSave={async (rule, draft) => {
          const made = await draft.submit((_, key) => createRule(rule, key))
          if (made === undefined) return
          notify([t('rules.created'), ...warningsInLanguage(made.warnings, made.warningsAr)].join(' '))
          navigate(`/rules/${encodeURIComponent(made.id)}`, { replace: true })
        }}
      />
    </>
  )
}
