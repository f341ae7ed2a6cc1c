/** The answer of a call: which features pass and why, or how many there are; and the JSON itself. */
import { useState } from 'preact/hooks'
import { formatDuration, formatPercent } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { Code } from '../../account/key-box.tsx'
import type { Answer, Rule, Verdict } from './tool-api-data.ts'

const MAX_ROWS = 200
const MAX_TEXT = 20_000

export function AnswerView({ data, text, durationMs, rule }: Answer & { rule: Rule | undefined }) {
  const [isOpen, setOpen] = useState(false)
  const json = JSON.stringify(data, undefined, 1)
  return (
    <section class="tool-api-answer" aria-live="polite">
      {'results' in data ? (
        <Results verdict={data} rule={rule} />
      ) : (
        <p class="tool-api-verdict">{t('toolApis.features', { count: data.featureCount })}</p>
      )}
      <p class="weak">{t('toolApis.took', { time: formatDuration(Math.round(durationMs)) })}</p>
      <div class="row">
        <Button kind="quiet" icon={isOpen ? 'down' : 'forward'} onClick={() => setOpen(!isOpen)}>
          {t('toolApis.json')}
        </Button>
        <Button
          kind="quiet"
          icon="download"
          onClick={() => saveFile('answer.json', new Blob([text], { type: 'application/json' }))}
        >
          {t('toolApis.download')}
        </Button>
      </div>
      {isOpen && (
        <>
          {json.length > MAX_TEXT && <p class="weak">{t('toolApis.cut')}</p>}
          <Code text={json.slice(0, MAX_TEXT)} />
        </>
      )}
    </section>
  )
}

function Results({ verdict: { passed, counts, results }, rule }: { verdict: Verdict; rule: Rule | undefined }) {
  return (
    <>
      <p class="tool-api-verdict">
        <Icon name={passed ? 'check' : 'close'} />
        <span>{t('toolApis.verdict', { passed: counts.passed, count: results.length })}</span>
      </p>
      <p class="weak">{ruleText(rule)}</p>
      <ol class="tool-api-results">
        {results.slice(0, MAX_ROWS).map((one) => (
          <li key={one.index} data-pass={one.pass}>
            <span class="number">{one.index + 1}</span>
            <Icon name={one.pass ? 'check' : 'close'} />
            <span>
              <strong>{t(one.pass ? 'toolApis.passes' : 'toolApis.fails')}</strong>{' '}
              {t(`toolApis.relations.${one.relation}`, { percent: formatPercent(one.percentInside / 100) })}
              {one.matchCount > 1 && <> {t('toolApis.matches', { count: one.matchCount })}</>}
              {Object.entries(one.reference).map(([name, value]) => (
                <span key={name} class="tool-api-reference">
                  <bdi>{name}</bdi>: <bdi>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</bdi>
                </span>
              ))}
            </span>
          </li>
        ))}
      </ol>
      {results.length > MAX_ROWS && (
        <p class="weak">{t('toolApis.moreResults', { count: results.length - MAX_ROWS })}</p>
      )}
    </>
  )
}

/** The condition for a feature to pass. */
export const ruleText = (rule: Rule | undefined): string =>
  rule?.kind === 'percent'
    ? t('toolApis.ruleTexts.percent', { percent: formatPercent((rule.percent ?? 0) / 100) })
    : t(`toolApis.ruleTexts.${rule?.kind ?? 'inside'}`)
