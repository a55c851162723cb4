// Mantine's theme: only what its components read in code. Colours, sizes and spacing are CSS (tokens.css).
// Components are named, not imported: importing them would load all of them with the first page.

import { createTheme } from "@mantine/core";
import { t } from "@/lib/i18n";

// an icon alone has no name for screen readers
const closeDialog = { "aria-label": t("Close dialog") };
const closeNotification = { "aria-label": t("Close notification") };
const small = { defaultProps: { size: "xs" } };

/** Id of the element that menus are put into. */
export const MENUS = "menus";

export const theme = createTheme({
  primaryShade: 6,
  cursorType: "pointer",
  components: {
    ActionIcon: { defaultProps: { size: 26, variant: "subtle", color: "gray" } },
    Button: small,
    Checkbox: small,
    // hints stand below their inputs, so that those of a line are at the same height
    InputWrapper: {
      defaultProps: { inputWrapperOrder: ["label", "input", "description", "error"] },
    },
    // a menu may hold entries only: its place for the first focus is none, so the first entry has it. What is on the
    // page lies within landmarks, menus too.
    Menu: {
      defaultProps: {
        withInitialFocusPlaceholder: false,
        portalProps: { target: `#${MENUS}` },
      },
    },
    // locking the page's scroll injects a style element, which the content security policy refuses
    Modal: {
      defaultProps: {
        lockScroll: false,
        transitionProps: { duration: 100 },
        centered: true,
        closeButtonProps: closeDialog,
      },
    },
    // a header element would be a second banner of the page
    ModalHeader: { defaultProps: { component: "div" } },
    // Enter takes the best hit of what was typed
    MultiSelect: {
      defaultProps: {
        size: "xs",
        selectFirstOptionOnChange: true,
        clearButtonProps: { "aria-label": t("Clear") },
      },
    },
    Notification: { defaultProps: { closeButtonProps: closeNotification } },
    NumberInput: small,
    PasswordInput: small,
    SegmentedControl: small,
    Select: {
      defaultProps: { size: "xs", allowDeselect: false, selectFirstOptionOnChange: true },
    },
    Switch: small,
    TagsInput: small,
    Textarea: small,
    TextInput: small,
    Tooltip: { defaultProps: { openDelay: 250, multiline: true } },
  },
});
