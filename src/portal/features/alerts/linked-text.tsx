/** A text that a person wrote, with its addresses as links. */

const ADDRESS = /(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]])/g

export const LinkedText = ({ text }: { text: string }) => (
  <p class="alert-note">
    {/* each line begins at the side where lines of the page begin, with the direction of its text */}
    <bdi>
      {text.split(ADDRESS).map((part, i) =>
        i % 2 === 0 ? (
          part
        ) : (
          <a key={i} href={part} dir="ltr" target="_blank" rel="noopener noreferrer">
            {part}
          </a>
        ),
      )}
    </bdi>
  </p>
)
