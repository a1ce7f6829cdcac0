"""What a run is told in after its drawing: ``channel`` is what a reader of the
channel sees at the end, ``verdict`` what failed and how to see it again."""
