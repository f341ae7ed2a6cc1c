/** A text that a person wrote, with its addresses as links. */

const ADDRESS = /(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]])/g

export const LinkedText = ({ text }: { text: string }) => (
  <p class="alert-note">
    {/* lines begin where those of the page do, in the direction of the text */}
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
