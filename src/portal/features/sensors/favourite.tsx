/** The star that marks a sensor as a favourite of the signed-in member. */
import { api } from '../../api/client.ts'
import { queryValue } from '../../shell/router.ts'
import { membership } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { notifyFailure } from '../../ui/failure-text.tsx'
import { Icon } from '../../ui/icon.tsx'

/** Whether the address asks for favourites only. Only members of the enterprise have favourites. */
export const onlyFavourites = (): boolean => membership.value !== undefined && queryValue('favourite') === 'true'

/** @param favourite undefined for a person who has no favourites here, such as an operator */
export function FavouriteStar(props: {
  id: string
  name: string
  favourite: boolean | undefined
  /** Called before the server has answered, and again with the old value if the server refuses. */
  onChange: (favourite: boolean) => void
  /** The rows of a table have one stop for the Tab key. */
  isInRow?: boolean
}) {
  const { id, name, favourite, onChange } = props
  if (favourite === undefined) return null
  async function toggle(): Promise<void> {
    onChange(!favourite)
    const call = { params: { path: { id } } }
    try {
      if (favourite) await api.DELETE('/enterprise/v1/assets/sensors/{id}/favourite', call)
      else await api.PUT('/enterprise/v1/assets/sensors/{id}/favourite', call)
    } catch (failure) {
      onChange(favourite === true)
      notifyFailure(failure)
    }
  }
  return (
    <button
      type="button"
      class="favourite"
      aria-pressed={favourite}
      aria-label={t('sensors.favourite.of', { name })}
      title={t(favourite ? 'sensors.favourite.remove' : 'sensors.favourite.add')}
      {...(props.isInRow && { tabIndex: -1 })}
      onClick={() => void toggle()}
    >
      <Icon name="star" />
    </button>
  )
}

export const FavouritesLabel = () => (
  <span class="favourites-label">
    <Icon name="star" />
    {t('sensors.favourite.only')}
  </span>
)
