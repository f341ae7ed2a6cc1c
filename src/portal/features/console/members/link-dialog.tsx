/** A link for a member, shown once. */

import { t } from '../../../text/text.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { KeyBox } from '../../account/key-box.tsx'
import type { MadeLink } from './invite.tsx'

export function LinkDialog({ made, onClose }: { made: MadeLink; onClose: () => void }) {
  const { email, path, isMailed, isReset } = made
  return (
    <Dialog title={t(isReset ? 'accounts.members.resetTitle' : 'accounts.members.invitedTitle')} isWide>
      <KeyBox
        title={t('accounts.members.linkFor', { email })}
        text={t(isReset ? 'accounts.members.resetOnce' : 'accounts.members.linkOnce')}
        secret={location.origin + path}
        onSaved={onClose}
      />
      {isMailed && <p class="weak">{t('accounts.members.mailed', { email })}</p>}
    </Dialog>
  )
}
